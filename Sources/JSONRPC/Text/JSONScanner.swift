/// A cursor over borrowed bytes that verifies JSON text.
///
/// Each method starts at ``position`` and leaves it after the text that it has read.
struct JSONScanner {
    /// The maximum number of open containers.
    static let maximumDepth = 128

    /// The text.
    let bytes: Bytes
    /// The length of the text.
    let end: Int
    /// The offset of the next byte.
    var position = 0

    init(_ bytes: Bytes) {
        self.bytes = bytes
        end = bytes.count
    }

    /// The error for the byte at the cursor.
    var unexpected: JSONSyntaxError {
        JSONSyntaxError(offset: position)
    }

    /// The byte at the cursor, or 0 at the end.
    ///
    /// No token begins with 0. A check for a token therefore fails at the end and at a NUL byte.
    @inline(__always)
    var current: UInt8 {
        position < end ? bytes[position] : 0
    }

    @inline(__always)
    mutating func skipWhiteSpace() {
        // Tokens begin with a byte above the space. In compact text the first comparison ends the loop.
        while position < end, bytes[position] <= ASCII.space, ASCII.isWhiteSpace(bytes[position]) {
            position &+= 1
        }
    }

    /// Reads one required byte.
    @inline(__always)
    mutating func expect(_ byte: UInt8) throws(JSONSyntaxError) {
        guard current == byte else { throw unexpected }
        position &+= 1
    }

    /// Reads trailing white space and checks that the text ends.
    mutating func finish() throws(JSONSyntaxError) {
        skipWhiteSpace()
        guard position == end else { throw unexpected }
    }
}

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
