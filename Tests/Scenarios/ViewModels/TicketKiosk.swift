import ViewModelKit

/// Names with a K, which the sign of the kelvin (U+212A) equals for Swift.
@ViewModel
final class TicketKiosk {
    /// The key that was pressed last.
    @Field(check: { (key: String) in if key == " " { throw InvalidValue(expected: "a key", found: "a blank") } })
    var lastKey = ""
}
