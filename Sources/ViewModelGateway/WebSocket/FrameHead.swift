/// The head of a WebSocket frame of a client (RFC 6455, section 5.2).
struct FrameHead: Sendable {
    enum Opcode: UInt8, Sendable {
        case continuation = 0
        case text = 1
        case binary = 2
        case close = 8
        case ping = 9
        case pong = 10

        /// Whether the frame is a message of the WebSocket protocol itself.
        var isControl: Bool { rawValue >= 8 }
    }

    /// Whether the frame is the last one of its message.
    let isFinal: Bool
    let opcode: Opcode
    /// The length of the payload in bytes.
    let length: Int
    /// The key with which the payload is masked.
    ///
    /// Its first byte is the lowest one.
    let mask: UInt32
    /// The length of the head itself in bytes.
    let count: Int

    /// Reads the head at the start of some bytes, or returns nil if it has not arrived as a whole.
    ///
    /// It checks all rules that hold for a frame on its own: the mask, reserved bits, opcodes, and the lengths.
    static func read(_ bytes: UnsafeRawBufferPointer) throws(CloseCode) -> FrameHead? {
        guard let first = bytes.first else { return nil }
        // No extension is negotiated, so the three reserved bits are zero.
        guard first & 0x70 == 0, let opcode = Opcode(rawValue: first & 0x0F) else { throw .protocolError }
        let isFinal = first & 0x80 != 0
        guard isFinal || !opcode.isControl else { throw .protocolError }
        guard bytes.count > 1 else { return nil }
        let code = bytes[1] & 0x7F
        // A client masks every frame, and a control frame is short.
        guard bytes[1] & 0x80 != 0, code < 126 || !opcode.isControl else { throw .protocolError }
        let (end, least): (Int, UInt64) =
            switch code {
            case 126: (4, 126)
            case 127: (10, 65_536)
            default: (2, 0)
            }
        guard bytes.count >= end else { return nil }
        let number = end == 2 ? UInt64(code) : bytes[2..<end].reduce(0) { $0 << 8 | UInt64($1) }
        // A length has its shortest form, and its highest bit is zero.
        guard number >= least, let length = Int(exactly: number) else { throw .protocolError }
        guard bytes.count >= end + 4 else { return nil }
        let mask = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: end, as: UInt32.self))
        return FrameHead(isFinal: isFinal, opcode: opcode, length: length, mask: mask, count: end + 4)
    }
}
