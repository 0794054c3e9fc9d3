internal import Glibc

/// Splits a stream into messages (protocol, section 1).
///
/// The first byte selects the framing: `C` or `c` begins headers, any other byte begins lines. A message that lies
/// completely in one chunk is passed to the handler without a copy. A message that spans chunks is buffered. At most
/// one message is buffered, up to ``maximumMessageBytes`` and a CR.
@usableFromInline package struct MessageFraming: Sendable {
    /// How messages are separated in the stream.
    package enum Mode: Sendable, Equatable {
        /// The stream has delivered no byte yet.
        case undetermined
        /// One message per line.
        case lines
        /// A block of headers with `Content-Length` before each message.
        case header
    }

    /// A part of the stream that the framing has recognized.
    ///
    /// The bytes of a message are valid only during the call of the handler.
    package enum Event {
        /// A message, without its headers or its line end.
        case message(Bytes)
        /// A message above the limit.
        ///
        /// The framing discards the rest of it.
        case tooLarge
        /// A malformed header block, or one without a length.
        ///
        /// It is answered with -32700, and the framing ignores all later bytes.
        case malformedHeader
        /// A message of 0 bytes.
        ///
        /// It is answered with -32700.
        case emptyBody
    }

    /// The handler's decision about the next event.
    package enum Flow: Sendable, Equatable {
        /// Continue with the next event.
        case proceed
        /// Return to the caller of ``MessageFraming/consume(_:_:)``, which keeps the rest of the chunk.
        case pause
    }

    /// The position of the next byte in the stream.
    enum State {
        /// In a line, or before the first byte.
        case line
        /// In a line above the limit.
        case discardedLine
        /// In a header block.
        case header
        /// In a message of known length.
        case body(remaining: Int)
        /// In a message of known length above the limit.
        case discardedBody(remaining: Int)
        /// After a malformed header block.
        case lost
    }

    /// How messages are separated in the stream; ``Mode/undetermined`` before the first byte.
    package private(set) var mode = Mode.undetermined

    /// The length limit of a message in bytes, without its line end.
    package var maximumMessageBytes: Int
    var state = State.line
    @usableFromInline var header = HeaderBlock()
    /// The received part of an unfinished message.
    @usableFromInline var buffer: [UInt8] = []

    /// The number of buffered bytes of an unfinished message or header block.
    @inlinable package var bufferedBytes: Int { buffer.count + header.count }

    package init(maximumMessageBytes: Int) {
        self.maximumMessageBytes = maximumMessageBytes
    }

    /// Consumes the next bytes of the stream and calls the handler for each event in them.
    ///
    /// - Returns: The number of consumed bytes: all of them, or those up to the event at which the handler returned
    ///   ``Flow/pause``. The caller passes the remaining bytes in again before any later ones.
    package mutating func consume(_ chunk: Bytes, _ handler: (Event) -> Flow) -> Int {
        determineMode(from: chunk)
        var position = 0
        var flow = Flow.proceed
        while position < chunk.count, flow == .proceed {
            switch state {
            case .line: flow = line(chunk, &position, handler)
            case .discardedLine: discardLine(chunk, &position)
            case .header: flow = headerBytes(chunk, &position, handler)
            case .body(let remaining): flow = body(chunk, &position, remaining, handler)
            case .discardedBody(let remaining): discardBody(chunk, &position, remaining)
            case .lost: position = chunk.count
            }
        }
        return position
    }

    /// Determines ``mode`` from the first byte of the stream, unless it is known already.
    ///
    /// ``consume(_:_:)`` calls this method. A caller that needs the mode while it handles the first event calls it
    /// first.
    package mutating func determineMode(from chunk: Bytes) {
        guard mode == .undetermined, let first = chunk.first else { return }
        mode = first | 0x20 == 0x63 ? .header : .lines  // C, c
        if mode == .header { state = .header }
    }

    /// Buffers bytes of an unfinished message.
    ///
    /// The capacity doubles, up to the length that the message can reach.
    mutating func keep(_ bytes: Bytes, atMost limit: Int) {
        let needed = buffer.count + bytes.count
        if needed > buffer.capacity {
            buffer.reserveCapacity(max(needed, min(2 * buffer.capacity, limit)))
        }
        buffer.append(contentsOf: bytes)
    }
}

// MARK: Lines

extension MessageFraming {
    mutating func line(_ chunk: Bytes, _ position: inout Int, _ handler: (Event) -> Flow) -> Flow {
        let start = position
        guard let end = Self.lineFeed(in: chunk, from: start) else {
            position = chunk.count
            let rest = chunk.part(start..<chunk.count)
            // A CR one byte above the limit may belong to the line end, which does not count.
            let count = buffer.count + rest.count
            guard
                count <= maximumMessageBytes || (count == maximumMessageBytes + 1 && rest.last == ASCII.carriageReturn)
            else {
                buffer = []
                state = .discardedLine
                return handler(.tooLarge)
            }
            keep(rest, atMost: maximumMessageBytes + 1)
            return .proceed
        }
        position = end + 1
        guard !buffer.isEmpty else { return finishLine(chunk.part(start..<end), handler) }
        let count = buffer.count + end - start
        guard count <= maximumMessageBytes + 1 else {
            buffer = []
            return handler(.tooLarge)
        }
        keep(chunk.part(start..<end), atMost: maximumMessageBytes + 1)
        let line = buffer
        buffer = []
        return line.withUnsafeBytes { finishLine($0, handler) }
    }

    /// Discards the rest of a line that is over the limit.
    mutating func discardLine(_ chunk: Bytes, _ position: inout Int) {
        let end = Self.lineFeed(in: chunk, from: position)
        position = end.map { $0 + 1 } ?? chunk.count
        if end != nil { state = .line }
    }

    private func finishLine(_ line: Bytes, _ handler: (Event) -> Flow) -> Flow {
        let line = line.last == ASCII.carriageReturn ? line.part(0..<(line.count - 1)) : line
        guard line.count <= maximumMessageBytes else { return handler(.tooLarge) }
        guard line.contains(where: { !ASCII.isWhiteSpace($0) }) else { return .proceed }
        return handler(.message(line))
    }

    private static func lineFeed(in chunk: Bytes, from start: Int) -> Int? {
        guard start < chunk.count, let base = chunk.baseAddress,
            let found = memchr(base + start, Int32(ASCII.lineFeed), chunk.count - start)
        else { return nil }
        return UnsafeRawPointer(found) - base
    }
}

// MARK: Headers

extension MessageFraming {
    mutating func headerBytes(_ chunk: Bytes, _ position: inout Int, _ handler: (Event) -> Flow) -> Flow {
        switch header.consume(chunk, &position) {
        case .unfinished:
            return .proceed
        case .malformed:
            header = HeaderBlock()
            position = chunk.count
            state = .lost
            return handler(.malformedHeader)
        case .length(let length):
            header = HeaderBlock()
            if length == 0 { return handler(.emptyBody) }
            guard length <= maximumMessageBytes else {
                state = .discardedBody(remaining: length)
                return handler(.tooLarge)
            }
            state = .body(remaining: length)
            return .proceed
        }
    }

    mutating func body(
        _ chunk: Bytes,
        _ position: inout Int,
        _ remaining: Int,
        _ handler: (Event) -> Flow
    ) -> Flow {
        let start = position
        guard chunk.count - start >= remaining else {
            let rest = chunk.part(start..<chunk.count)
            keep(rest, atMost: buffer.count + remaining)
            position = chunk.count
            state = .body(remaining: remaining - rest.count)
            return .proceed
        }
        position = start + remaining
        state = .header
        let rest = chunk.part(start..<position)
        guard !buffer.isEmpty else { return handler(.message(rest)) }
        keep(rest, atMost: buffer.count + remaining)
        let message = buffer
        buffer = []
        return message.withUnsafeBytes { handler(.message($0)) }
    }

    /// Discards the rest of a message that is over the limit.
    mutating func discardBody(_ chunk: Bytes, _ position: inout Int, _ remaining: Int) {
        let count = min(remaining, chunk.count - position)
        position += count
        state = count == remaining ? .header : .discardedBody(remaining: remaining - count)
    }
}
