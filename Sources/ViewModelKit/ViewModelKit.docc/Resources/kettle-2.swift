import ViewModelKit

/// A kettle that brews tea.
@ViewModel
public final class Kettle {
    /// The minutes that the tea brews, as they are typed.
    @Field(.session) var minutes = "3"
    /// What is wrong with `minutes`, null for nothing.
    @Output var problem: String? { (1...15).contains(Int(minutes) ?? 0) ? nil : "A number from 1 to 15" }
    /// The cups of water in the kettle.
    @Output(.session) private(set) var cups = 0

    /// Creates an empty kettle.
    public init() {}

    /// Fills the kettle with this number of cups.
    @Input func fill(_ cups: Int) throws {
        guard (1...8).contains(cups) else { throw InvalidValue(expected: "1 to 8 cups", found: "\(cups)") }
        self.cups = cups
    }
}
