/// The error for text that violates RFC 8259 or the limits of the protocol's section 1.
package struct JSONSyntaxError: Error, Sendable, Equatable {
    /// The offset of the fault in bytes.
    ///
    /// It is the length of the message if the message ends too early.
    package var offset: Int

    /// Creates an error.
    package init(offset: Int) {
        self.offset = offset
    }
}
