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
        /// The closing handshake, with the code to answer.
        case close(CloseCode?)
        /// The client broke a rule. The connection is closed with the code.
        case failure(CloseCode)
    }

    let maximumMessageBytes: Int
    /// The head of the current frame, once it has arrived as a whole.
    private var head: FrameHead?
    /// The received part of a head.
    private var headBytes: [UInt8] = []
    /// The bytes that the payload of the current frame still needs.
    private var missing = 0
    /// The position in the mask of the next byte.
    private var maskOffset = 0
    /// The received part of an unfinished message.
    private var message: ByteBuffer?
    private var control = ByteBuffer()
    private var text = UTF8Validator()
    private var hasEnded = false

    init(maximumMessageBytes: Int) {
        self.maximumMessageBytes = maximumMessageBytes
    }

    /// Whether the next byte begins a frame, and no message is unfinished.
    private var isBetweenMessages: Bool { head == nil && headBytes.isEmpty && message == nil && !hasEnded }

    /// The number of bytes that the reader holds of an unfinished message.
    var heldBytes: Int { message?.capacity ?? 0 }

    /// Moves the next message to a buffer, in the daemon's framing, without a buffer of its own.
    ///
    /// This is the usual case: a message in one frame that has arrived as a whole.
    ///
    /// - Returns: false, and changes nothing, if the next bytes are anything else. ``next(_:)`` reads them.
    mutating func moveMessage(from chunk: inout ByteBuffer, to output: inout ByteBuffer) -> Bool {
        guard isBetweenMessages, case .complete(let frame) = chunk.withUnsafeReadableBytes(FrameHead.read),
            frame.isFinal, frame.opcode == .text, 1...maximumMessageBytes ~= frame.length,
            chunk.readableBytes >= frame.count + frame.length
        else { return false }
        let (readerIndex, writerIndex) = (chunk.readerIndex, output.writerIndex)
        chunk.moveReaderIndex(forwardBy: frame.count)
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

    /// Reads up to the next event, and removes the read bytes from the chunk.
    ///
    /// - Returns: The event, or nil if the chunk is used up. After a close or a failure all bytes are ignored.
    mutating func next(_ chunk: inout ByteBuffer) -> Event? {
        guard !hasEnded else {
            chunk.moveReaderIndex(to: chunk.writerIndex)
            return nil
        }
        while chunk.readableBytes > 0 || head != nil && missing == 0 {
            let event = if let head { readPayload(of: head, &chunk) } else { readHead(&chunk) }
            guard let event else { continue }
            switch event {
            case .close, .failure:
                hasEnded = true
                message = nil
            case .message, .ping, .pong: break
            }
            return event
        }
        return nil
    }

    private mutating func readHead(_ chunk: inout ByteBuffer) -> Event? {
        // A head may be split between chunks. It is short, so its parts are copied.
        let former = headBytes.count
        headBytes += chunk.readableBytesView.prefix(FrameHead.longest - former)
        switch headBytes.withUnsafeBytes(FrameHead.read) {
        case .unfinished:
            chunk.moveReaderIndex(to: chunk.writerIndex)
            return nil
        case .invalid:
            return .failure(.protocolError)
        case .complete(let head):
            chunk.moveReaderIndex(forwardBy: head.count - former)
            headBytes = []
            return begin(head)
        }
    }

    /// Checks the frame against the message that it continues, and against the limit.
    private mutating func begin(_ head: FrameHead) -> Event? {
        if !head.opcode.isControl {
            switch head.opcode {
            case .continuation: guard message != nil else { return .failure(.protocolError) }
            case .text:
                guard message == nil else { return .failure(.protocolError) }
                text = UTF8Validator()
            default:
                return .failure(message == nil ? .unsupportedData : .protocolError)
            }
            let received = message?.readableBytes ?? 0
            guard head.length <= maximumMessageBytes - received else { return .failure(.messageTooBig) }
            if message == nil { message = ByteBuffer() }
        }
        self.head = head
        missing = head.length
        maskOffset = 0
        return nil
    }

    private mutating func readPayload(of head: FrameHead, _ chunk: inout ByteBuffer) -> Event? {
        let count = min(missing, chunk.readableBytes)
        if count > 0 {
            let turn = 8 * UInt32(maskOffset)
            let key = maskOffset == 0 ? head.mask : head.mask >> turn | head.mask << (32 - turn)
            maskOffset = (maskOffset + count) & 3
            if head.opcode.isControl {
                Self.append(count, of: &chunk, to: &control, key)
            } else if var message = message.take() {
                // One allocation for a message in one frame, and doubling for one in many.
                message.reserveCapacity(minimumWritableBytes: min(missing, Self.firstCapacity))
                let start = message.writerIndex
                Self.append(count, of: &chunk, to: &message, key)
                let isText = message.withUnsafeReadableBytes { text.consume(.init(rebasing: $0[start...])) }
                self.message = message
                guard isText else { return .failure(.invalidText) }
            }
        }
        missing -= count
        guard missing == 0 else { return nil }
        self.head = nil
        if head.opcode.isControl { return endControl(head.opcode) }
        guard head.isFinal else { return nil }
        guard text.isComplete, let message = message.take() else { return .failure(.invalidText) }
        return .message(message)
    }

    private mutating func endControl(_ opcode: FrameHead.Opcode) -> Event? {
        var payload = control
        control = ByteBuffer()
        switch opcode {
        case .ping: return .ping(payload)
        case .pong: return .pong
        default: break
        }
        guard payload.readableBytes > 0 else { return .close(nil) }
        guard let number = payload.readInteger(as: UInt16.self) else { return .failure(.protocolError) }
        let code = CloseCode(rawValue: number)
        guard code.isValidInFrame else { return .failure(.protocolError) }
        var reason = UTF8Validator()
        let isText = payload.withUnsafeReadableBytes { reason.consume($0) } && reason.isComplete
        return isText ? .close(code) : .failure(.invalidText)
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
