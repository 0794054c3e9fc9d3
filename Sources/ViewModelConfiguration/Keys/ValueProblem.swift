/// The reason why a value of the configuration is invalid.
struct ValueProblem: Error {
    /// The index of the item in a list.
    var item: Int?
    /// The member of the item.
    var member: String?
    /// Completes "expected …".
    var expected: String
    /// Completes "found …"; nil for the value as the source spells it.
    var found: String?
}
