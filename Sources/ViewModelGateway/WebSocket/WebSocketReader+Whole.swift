import NIOCore

/// The usual case: a message in one frame that has arrived as a whole.
extension WebSocketReader {
    /// Moves the next message to a buffer, in the daemon's framing, without a buffer of its own.
    ///
    /// - Returns: false, and changes nothing, if the next bytes are anything else. ``next(_:)`` reads them.
    mutating func moveMessage(from chunk: inout ByteBuffer, to output: inout ByteBuffer) -> Bool {
        guard isBetweenMessages, let frame = chunk.withUnsafeReadableBytes(WholeFrame.init),
            frame.length <= maximumMessageBytes
        else { return false }
        let (readerIndex, writerIndex) = (chunk.readerIndex, output.writerIndex)
        chunk.moveReaderIndex(forwardBy: frame.headLength)
        output.writeDaemonHeader(length: frame.length)
        Self.append(frame.length, of: &chunk, to: &output, frame.mask)
        let isText = output.withUnsafeReadableBytes { bytes in
            var text = UTF8Validator()
            return text.consume(.init(rebasing: bytes[(bytes.count - frame.length)...])) && text.isComplete
        }
        guard !isText else { return true }
        chunk.moveReaderIndex(to: readerIndex)
        output.moveWriterIndex(to: writerIndex)
        return false
    }
}

/// A complete text frame that is a message, with a payload of 1 to 65,535 bytes.
private struct WholeFrame {
    let headLength: Int
    let length: Int
    let mask: UInt32

    /// Reads the frame at the start of some bytes, or returns nil if they begin with anything else.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count > 6, bytes[0] == 0x80 | FrameHead.Opcode.text.rawValue, bytes[1] > 0x80 else { return nil }
        let code = Int(bytes[1] & 0x7F)
        switch code {
        case ...FrameHead.longestControl:
            (headLength, length) = (6, code)
        case 126:
            (headLength, length) = (8, Int(bytes[2]) << 8 | Int(bytes[3]))
            // A length has its shortest form.
            guard length > FrameHead.longestControl else { return nil }
        default: return nil
        }
        guard bytes.count >= headLength + length else { return nil }
        mask = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: headLength - 4, as: UInt32.self))
    }
}
