/// A hashed password with the parameters of the hash.
///
/// The store does not interpret it, and its descriptions hide it.
public struct PasswordHash: Equatable, Sendable {
    /// The algorithm and its costs, in the format of the hasher.
    public let parameters: String
    /// The salt.
    public let salt: [UInt8]
    /// The result of the hash function.
    public let hash: [UInt8]

    /// Creates a hash from its parts.
    public init(parameters: String, salt: [UInt8], hash: [UInt8]) {
        self.parameters = parameters
        self.salt = salt
        self.hash = hash
    }
}

extension PasswordHash: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A constant text that hides the hash.
    public var description: String { "<password hash>" }
    /// A constant text that hides the hash.
    public var debugDescription: String { description }
    /// An empty mirror that hides the hash from `dump`.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
