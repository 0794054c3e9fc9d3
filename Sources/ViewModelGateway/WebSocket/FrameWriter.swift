import NIOCore

extension ByteBuffer {
    /// Appends the head of a frame of a server, which has no mask (RFC 6455, section 5.2).
    mutating func writeFrameHead(_ opcode: FrameHead.Opcode, isFinal: Bool = true, length: Int) {
        writeInteger((isFinal ? 0x80 : 0) | opcode.rawValue)
        switch length {
        case ...125: writeInteger(UInt8(length))
        case ...65_535:
            writeInteger(126 as UInt8)
            writeInteger(UInt16(length))
        default:
            writeInteger(127 as UInt8)
            writeInteger(UInt64(length))
        }
    }

    /// Appends a closing frame; without a code its payload is empty.
    ///
    /// A reason that is too long for a control frame is left out.
    mutating func writeCloseFrame(_ code: CloseCode?, reason: String = "") {
        guard let code else { return writeFrameHead(.close, length: 0) }
        let text = reason.utf8.count > 123 ? "" : reason
        writeFrameHead(.close, length: 2 + text.utf8.count)
        writeInteger(code.rawValue)
        writeString(text)
    }
}
