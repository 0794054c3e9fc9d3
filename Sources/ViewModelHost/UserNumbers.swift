/// The store of the user numbers of people without a Unix account (protocol, section 4).
///
/// Isolation: called from any thread. It never blocks the caller's thread.
package protocol UserNumbers: Sendable {
    /// Returns the user number of a person, which the first call chooses.
    ///
    /// Every daemon of the store gets the same number, for ever, and no other person gets it.
    ///
    /// - Parameter digest: the SHA-256 of the subject. The store does not have the subject itself.
    /// - Returns: the number.
    /// - Throws: the store's error, or ``NoUserNumberLeft``.
    func number(of digest: [UInt8]) async throws -> UInt32
}

/// An error: a store has given all numbers of people, and gives none of them again.
package struct NoUserNumberLeft: Error {
    package init() {}
}

extension ClosedRange<UInt32> {
    /// The numbers of people, which no Unix user has.
    package static var ofPeople: Self { 1 << 31...UInt32.max - 1 }
}
