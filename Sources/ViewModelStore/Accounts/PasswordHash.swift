/// A hashed password and how it was hashed; the store understands nothing of it, and it never prints itself.
public struct PasswordHash: Equatable, Sendable {
    /// The algorithm and its costs, as whoever hashes writes them.
    public let parameters: String
    /// What the password was salted with.
    public let salt: [UInt8]
    /// What came out.
    public let hash: [UInt8]

    /// A hash.
    public init(parameters: String, salt: [UInt8], hash: [UInt8]) {
        self.parameters = parameters
        self.salt = salt
        self.hash = hash
    }
}

extension PasswordHash: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Says that there is one, whatever it is.
    public var description: String { "<password hash>" }
    /// Says that there is one, whatever it is.
    public var debugDescription: String { description }
    /// Shows nothing.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
