import NIOCore

/// A reader of the daemon's messages in header framing (protocol, section 1).
///
/// A value without I/O.
///
/// It passes a message on in the parts in which it arrives, and holds nothing of it but an unfinished header block.
struct DaemonReader: Sendable {
    /// A part of the stream.
    enum Event: Equatable {
        /// The next bytes of a message.
        case part(ByteBuffer, isFirst: Bool, isLast: Bool)
        /// The daemon refuses the connection, which it says in a line.
        case refusal
        /// The bytes are no message of a daemon.
        case malformed
    }

    private enum State {
        case header
        case body(missing: Int, isFirst: Bool)
        case ended
    }

    /// The beginning of a header block, which the daemon always writes the same way.
    fileprivate static let name = Array("Content-Length: ".utf8)
    private static let longestHeader = 40

    private var state = State.header
    /// The received part of a header block.
    private var header = ByteBuffer()

    init() {}

    /// Whether the stream may end here.
    var isBetweenMessages: Bool {
        if case .header = state { header.readableBytes == 0 } else { false }
    }

    /// Reads up to the next event, and removes the read bytes from the chunk; nil if the chunk is used up.
    mutating func next(_ chunk: inout ByteBuffer) -> Event? {
        guard chunk.readableBytes > 0 else { return nil }
        switch state {
        case .ended:
            chunk.moveReaderIndex(to: chunk.writerIndex)
            return nil
        case .body(let missing, let isFirst):
            let count = min(missing, chunk.readableBytes)
            guard let bytes = chunk.readSlice(length: count) else { return nil }
            state = count == missing ? .header : .body(missing: missing - count, isFirst: false)
            return .part(bytes, isFirst: isFirst, isLast: count == missing)
        case .header:
            if header.readableBytes > 0 {
                header.writeBuffer(&chunk)
                (chunk, header) = (header, ByteBuffer())
            }
            if let length = chunk.readDaemonHeader() {
                state = .body(missing: length, isFirst: true)
                return next(&chunk)
            }
            let block = chunk.readableBytesView
            let isUnfinished = block.count <= Self.longestHeader && block.filter { $0 == UInt8(ascii: "\n") }.count < 2
            guard isUnfinished, block.first != UInt8(ascii: "{") else {
                state = .ended
                return block.first == UInt8(ascii: "{") ? .refusal : .malformed
            }
            header.writeBuffer(&chunk)
            return nil
        }
    }
}

extension ByteBuffer {
    /// Appends a message in header framing.
    mutating func writeDaemonMessage(_ message: ByteBuffer) {
        writeDaemonHeader(length: message.readableBytes)
        writeImmutableBuffer(message)
    }

    /// Appends the header block of a message.
    mutating func writeDaemonHeader(length: Int) {
        writeStaticString("Content-Length: ")
        var divisor = 1
        while length / divisor > 9 { divisor *= 10 }
        while divisor > 0 {
            writeInteger(UInt8(ascii: "0") + UInt8(length / divisor % 10))
            divisor /= 10
        }
        writeStaticString("\r\n\r\n")
    }

    /// Removes a header block and returns its length, or nil if the next bytes are no complete and valid block.
    fileprivate mutating func readDaemonHeader() -> Int? {
        let block = withUnsafeReadableBytes { bytes -> (count: Int, length: Int)? in
            var position = DaemonReader.name.count
            guard bytes.count > position, bytes.starts(with: DaemonReader.name) else { return nil }
            let start = position
            var length = 0
            while position < bytes.count, case let digit = bytes[position] &- UInt8(ascii: "0"), digit <= 9,
                position < start + 18
            {
                length = length * 10 + Int(digit)
                position += 1
            }
            guard length > 0, bytes.count >= position + 4,
                bytes.loadUnaligned(fromByteOffset: position, as: UInt32.self) == Self.endOfHeader
            else { return nil }
            return (position + 4, length)
        }
        guard let block else { return nil }
        moveReaderIndex(forwardBy: block.count)
        return block.length
    }

    /// CR LF CR LF.
    private static var endOfHeader: UInt32 { UInt32(littleEndian: 0x0A0D_0A0D) }
}
