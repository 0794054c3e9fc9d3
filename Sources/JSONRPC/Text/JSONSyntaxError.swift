/// Text that is not JSON (RFC 8259, and the limits of the protocol's section 1).
public struct JSONSyntaxError: Error, Sendable, Equatable {
    /// Where the fault was seen, in bytes from the start of the message; its length when its end is missing.
    public var offset: Int

    /// Makes an error.
    public init(offset: Int) {
        self.offset = offset
    }
}
