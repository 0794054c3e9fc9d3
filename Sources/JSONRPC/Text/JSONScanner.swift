/// Reads JSON text and refuses what is none.
///
/// A cursor over borrowed bytes. Each method starts at ``position`` and leaves it behind what it read.
struct JSONScanner {
    /// How many containers may be open at once.
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

    /// The error for what stands at the cursor.
    var unexpected: JSONSyntaxError {
        JSONSyntaxError(offset: position)
    }

    /// The byte at the cursor, 0 at the end.
    ///
    /// No token begins with 0, so whoever looks for one refuses both.
    @inline(__always)
    var current: UInt8 {
        position < end ? bytes[position] : 0
    }

    @inline(__always)
    mutating func skipWhiteSpace() {
        // Every byte above a space begins a token or a mistake, and compact text has nothing else.
        while position < end, bytes[position] <= ASCII.space, ASCII.isWhiteSpace(bytes[position]) {
            position &+= 1
        }
    }

    /// Takes one byte that must be there.
    @inline(__always)
    mutating func expect(_ byte: UInt8) throws(JSONSyntaxError) {
        guard current == byte else { throw unexpected }
        position &+= 1
    }

    /// Checks that only white space is left.
    mutating func finish() throws(JSONSyntaxError) {
        skipWhiteSpace()
        guard position == end else { throw unexpected }
    }
}
