/// The kind of a JSON value (RFC 8259, section 3).
package enum JSONKind: Sendable, Equatable {
    /// `{…}`.
    case object
    /// `[…]`.
    case array
    /// `"…"`.
    case string
    /// A number.
    case number
    /// `true` or `false`.
    case boolean
    /// `null`.
    case null
}
