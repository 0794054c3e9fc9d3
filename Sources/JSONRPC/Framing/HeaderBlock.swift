/// The headers before a message: lines that end in CR LF, of which the last is empty.
@usableFromInline struct HeaderBlock: Sendable {
    /// The state of the block after the bytes so far.
    enum Outcome: Equatable {
        case unfinished
        case malformed
        case length(Int)
    }

    /// The length of the longest block in bytes, including its empty line.
    static let maximumBytes = 8192

    /// The bytes so far.
    @usableFromInline private(set) var bytes: [UInt8] = []
    /// Where the current line begins.
    private var lineStart = 0

    private var length: Int?

    /// The number of buffered bytes.
    @inlinable var count: Int { bytes.count }

    /// Consumes bytes up to the end of the block or the end of the chunk, and advances `position` past them.
    mutating func consume(_ chunk: Bytes, _ position: inout Int) -> Outcome {
        while position < chunk.count {
            let byte = chunk[position]
            position += 1
            bytes.append(byte)
            if byte == ASCII.lineFeed {
                // After a bare LF the end of the headers is uncertain, as it is after an invalid length. The block
                // fails at once, because more bytes cannot repair it.
                guard bytes.count >= lineStart + 2, bytes[bytes.count - 2] == ASCII.carriageReturn else {
                    return .malformed
                }
                let line = lineStart..<(bytes.count - 2)
                lineStart = bytes.count
                if line.isEmpty { return length.map(Outcome.length) ?? .malformed }
                guard read(line) else { return .malformed }
            }
            if bytes.count >= Self.maximumBytes { return .malformed }
        }
        return .unfinished
    }

    /// Reads one header line; returns false if it repeats `Content-Length` or its length is not 1 to 18 digits.
    ///
    /// Other headers are ignored.
    private mutating func read(_ line: Range<Int>) -> Bool {
        guard let colon = bytes[line].firstIndex(of: ASCII.colon), Self.isContentLength(bytes[line.lowerBound..<colon])
        else { return true }
        var value = bytes[(colon + 1)..<line.upperBound]
        while let first = value.first, Self.isBlank(first) { value.removeFirst() }
        while let last = value.last, Self.isBlank(last) { value.removeLast() }
        guard length == nil, 1...18 ~= value.count, value.allSatisfy(ASCII.isDigit) else { return false }
        length = value.reduce(0) { $0 * 10 + Int($1 - ASCII.zero) }
        return true
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == ASCII.space || byte == ASCII.tab
    }

    private static func isContentLength(_ name: ArraySlice<UInt8>) -> Bool {
        let wanted: StaticString = "content-length"
        guard name.count == wanted.utf8CodeUnitCount else { return false }
        return name.enumerated().allSatisfy { index, byte in
            (0x41...0x5A ~= byte ? byte | 0x20 : byte) == wanted.utf8Start[index]
        }
    }
}
