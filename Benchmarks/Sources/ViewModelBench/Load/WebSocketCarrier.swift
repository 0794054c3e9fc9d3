/// The frames of a WebSocket connection, seen from its client (RFC 6455, section 5).
struct WebSocketCarrier {
    /// The received bytes of an unfinished frame.
    private var unread: [UInt8] = []
    /// The payloads of the frames of an unfinished message.
    private var message: [UInt8] = []

    private static let mask: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]

    /// Appends a text message in one masked frame.
    static func append(_ text: [UInt8], to bytes: inout [UInt8]) {
        bytes.append(0x81)
        if text.count < 126 {
            bytes.append(0x80 | UInt8(text.count))
        } else {
            bytes += [0x80 | 126, UInt8(text.count >> 8), UInt8(text.count & 0xFF)]
        }
        bytes += mask
        for (index, byte) in text.enumerated() { bytes.append(byte ^ mask[index & 3]) }
    }

    /// Reads frames and calls a closure with each complete message.
    ///
    /// - Throws: ``BenchFailure`` for a frame that carries no text, and any error of the closure.
    mutating func receive(_ bytes: UnsafeRawBufferPointer, _ take: (Line) throws -> Void) throws {
        unread.append(contentsOf: bytes)
        var position = 0
        while let frame = try frame(at: position) {
            position = frame.payload.upperBound
            guard let isFinal = frame.isFinal else { continue }
            message += unread[frame.payload]
            guard isFinal else { continue }
            try message.withUnsafeBytes { try take(Line($0)) }
            message.removeAll(keepingCapacity: true)
        }
        unread.removeFirst(position)
    }

    /// Returns the complete frame at a position, or nil if a part of it is missing.
    ///
    /// `isFinal` is nil for a ping. The load needs no answer to it, because its requests show that it is alive.
    private func frame(at start: Int) throws -> (payload: Range<Int>, isFinal: Bool?)? {
        guard unread.count >= start + 2 else { return nil }
        let (opcode, code) = (unread[start] & 0x0F, unread[start + 1])
        let isPing = opcode == 9
        guard opcode <= 1 || isPing, code < 127 else {
            throw BenchFailure("not a frame of a short text: opcode \(opcode)")
        }
        var head = start + 2
        var length = Int(code)
        if code == 126 {
            guard unread.count >= start + 4 else { return nil }
            head = start + 4
            length = Int(unread[start + 2]) << 8 | Int(unread[start + 3])
        }
        guard unread.count >= head + length else { return nil }
        return (head..<(head + length), isPing ? nil : unread[start] & 0x80 != 0)
    }
}
