import NIOCore

/// A reader of the frames that a WebSocket client sends (RFC 6455).
///
/// A value without I/O.
///
/// It holds at most one unfinished message, up to the limit, and one control frame. A message that would become longer
/// is refused when its frame announces its length, before the payload arrives.
struct WebSocketReader: Sendable {
    /// A part of the stream that the reader has recognized.
    enum Event: Equatable {
        /// A complete text message.
        case message(ByteBuffer)
        /// A ping, which is answered with a pong of the same payload.
        case ping(ByteBuffer)
        case pong
        /// The connection is closed with the code: that of the client's closing handshake, or of the rule that it broke.
        case close(CloseCode?)
    }

    let maximumMessageBytes: Int
    /// The beginning of a frame that is not read yet: a part of its head, or of a control frame.
    private var rest = ByteBuffer()
    /// The head of the frame whose payload arrives.
    private var head: FrameHead?
    /// The bytes that the payload of the current frame still needs.
    private var missing = 0
    /// The received part of an unfinished message.
    private var message: ByteBuffer?
    /// The bytes of the message that are whole characters.
    private var textBytes = 0
    private var hasEnded = false

    init(maximumMessageBytes: Int) {
        self.maximumMessageBytes = maximumMessageBytes
    }

    /// Whether the next byte begins a frame, and no message is unfinished.
    private var isBetweenMessages: Bool { rest.readableBytes == 0 && message == nil && !hasEnded }

    /// The number of bytes that the reader holds of an unfinished message.
    var heldBytes: Int { message?.capacity ?? 0 }

    /// Moves the next message to a buffer, in the daemon's framing, without a buffer of its own.
    ///
    /// This is the usual case: a message in one frame that has arrived as a whole.
    ///
    /// - Returns: false, and changes nothing, if the next bytes are anything else. ``next(_:)`` reads them.
    mutating func moveMessage(from chunk: inout ByteBuffer, to output: inout ByteBuffer) -> Bool {
        guard isBetweenMessages, let frame = try? chunk.withUnsafeReadableBytes(FrameHead.read), frame.isFinal,
            frame.opcode == .text, 1...maximumMessageBytes ~= frame.length,
            chunk.readableBytes >= frame.count + frame.length
        else { return false }
        let (readerIndex, writerIndex) = (chunk.readerIndex, output.writerIndex)
        chunk.moveReaderIndex(forwardBy: frame.count)
        output.writeDaemonHeader(length: frame.length)
        Self.append(frame.length, of: &chunk, to: &output, frame.mask)
        let isText = output.withUnsafeReadableBytes { bytes in
            UnsafeRawBufferPointer(rebasing: bytes.suffix(frame.length)).utf8Prefix == frame.length
        }
        guard !isText else { return true }
        chunk.moveReaderIndex(to: readerIndex)
        output.moveWriterIndex(to: writerIndex)
        return false
    }

    /// Reads up to the next event, and removes the read bytes from the chunk.
    ///
    /// - Returns: The event, or nil if the chunk is used up. After a close all bytes are ignored.
    mutating func next(_ chunk: inout ByteBuffer) -> Event? {
        guard !hasEnded else {
            chunk.moveReaderIndex(to: chunk.writerIndex)
            return nil
        }
        if rest.readableBytes > 0 {
            rest.writeBuffer(&chunk)
            (chunk, rest) = (rest, ByteBuffer())
        }
        do throws(CloseCode) {
            while chunk.readableBytes > 0 {
                let event = if let head { try readPayload(of: head, &chunk) } else { try readHead(&chunk) }
                guard let event else { continue }
                if case .close = event { (hasEnded, message) = (true, nil) }
                return event
            }
            return nil
        } catch {
            (hasEnded, message) = (true, nil)
            return .close(error)
        }
    }

    /// Reads a control frame, or the head of another one and what has arrived of its payload.
    private mutating func readHead(_ chunk: inout ByteBuffer) throws(CloseCode) -> Event? {
        guard let head = try chunk.withUnsafeReadableBytes(FrameHead.read),
            !head.opcode.isControl || chunk.readableBytes >= head.count + head.length
        else {
            // It is short, so it is copied.
            rest.writeBuffer(&chunk)
            return nil
        }
        chunk.moveReaderIndex(forwardBy: head.count)
        if head.opcode.isControl {
            var payload = ByteBuffer()
            Self.append(head.length, of: &chunk, to: &payload, head.mask)
            return try control(head.opcode, payload)
        }
        guard (head.opcode == .continuation) == (message != nil) else { throw .protocolError }
        guard head.opcode != .binary else { throw .unsupportedData }
        guard head.length <= maximumMessageBytes - (message?.readableBytes ?? 0) else { throw .messageTooBig }
        if message == nil { (message, textBytes) = (ByteBuffer(), 0) }
        self.head = head
        missing = head.length
        return try readPayload(of: head, &chunk)
    }

    private mutating func readPayload(of head: FrameHead, _ chunk: inout ByteBuffer) throws(CloseCode) -> Event? {
        guard var message = message.take() else { return nil }
        let count = min(missing, chunk.readableBytes)
        if count > 0 {
            // One allocation for a message in one frame, and doubling for one in many.
            message.reserveCapacity(minimumWritableBytes: min(missing, Self.firstCapacity))
            let turn = 8 * UInt32((head.length - missing) & 3)
            Self.append(count, of: &chunk, to: &message, head.mask >> turn | head.mask << (32 - turn))
            missing -= count
            let length = message.withUnsafeReadableBytes { [textBytes] in
                UnsafeRawBufferPointer(rebasing: $0[textBytes...]).utf8Prefix
            }
            guard let length else { throw .invalidText }
            textBytes += length
        }
        if missing == 0 { self.head = nil }
        guard missing == 0, head.isFinal else {
            self.message = message
            return nil
        }
        guard textBytes == message.readableBytes else { throw .invalidText }
        return .message(message)
    }

    private func control(_ opcode: FrameHead.Opcode, _ payload: ByteBuffer) throws(CloseCode) -> Event {
        switch opcode {
        case .ping: return .ping(payload)
        case .pong: return .pong
        default: break
        }
        guard payload.readableBytes > 0 else { return .close(nil) }
        var reason = payload
        guard let number = reason.readInteger(as: UInt16.self), case let code = CloseCode(rawValue: number),
            code.isValidInFrame
        else { throw .protocolError }
        guard reason.withUnsafeReadableBytes({ $0.utf8Prefix == $0.count }) else { throw .invalidText }
        return .close(code)
    }

    /// Moves bytes from the chunk to another buffer and unmasks them.
    ///
    /// `key` is the mask, turned so that its first byte is for the first byte of the chunk.
    static func append(_ count: Int, of chunk: inout ByteBuffer, to buffer: inout ByteBuffer, _ key: UInt32) {
        let word = UInt64(key) << 32 | UInt64(key)
        _ = chunk.readWithUnsafeReadableBytes { source in
            buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { target in
                var position = 0
                while position + 8 <= count {
                    let masked = source.loadUnaligned(fromByteOffset: position, as: UInt64.self)
                    target.storeBytes(of: masked ^ word.littleEndian, toByteOffset: position, as: UInt64.self)
                    position += 8
                }
                while position < count {
                    target[position] = source[position] ^ UInt8(truncatingIfNeeded: key >> (8 * UInt32(position & 3)))
                    position += 1
                }
                return count
            }
        }
    }

    /// The most bytes that are allocated before they arrive.
    private static let firstCapacity = 64 << 10
}
