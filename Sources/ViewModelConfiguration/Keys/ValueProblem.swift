/// Why a value of the configuration cannot be taken.
struct ValueProblem: Error {
    /// The item of a list, counted from 0.
    var item: Int?
    /// The member of the item.
    var member: String?
    /// Completes "expected …".
    var expected: String
    /// Completes "found …"; nil for the value as its source has it.
    var found: String?
}
