/// The headers before a message: lines that end in CR LF, the last one empty.
struct HeaderBlock: Sendable {
    /// What the bytes so far amount to.
    enum Outcome: Equatable {
        case unfinished
        case malformed
        case length(Int)
    }

    /// The longest block, its empty line included.
    static let maximumBytes = 8192

    /// The bytes so far.
    private var bytes: [UInt8] = []
    /// Where the current line begins.
    private var lineStart = 0

    private var length: Int?

    /// How many bytes are held.
    var count: Int { bytes.count }

    /// Takes bytes up to the end of the block, or of the chunk.
    mutating func consume(_ chunk: Bytes, _ position: inout Int) -> Outcome {
        while position < chunk.count {
            let byte = chunk[position]
            position += 1
            bytes.append(byte)
            if byte == ASCII.lineFeed {
                // Behind a bare LF the position is as lost as behind a length that is none; waiting would only hide it.
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

    /// Reads one header; false where it is a wrong length.
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
