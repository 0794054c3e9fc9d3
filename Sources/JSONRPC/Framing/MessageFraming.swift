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
        /// In a header block, of which this many bytes were read, and this length.
        case header(count: Int, length: Int?)
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
    /// The received part of an unfinished message or line.
    @usableFromInline var buffer: [UInt8] = []

    /// The length of the longest header block in bytes, including its empty line.
    private static let longestHeader = 8192

    @inlinable package var bufferedBytes: Int { buffer.count }

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
            case .header(let count, let length): flow = header(chunk, &position, (count, length), handler)
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
        if mode == .header { state = .header(count: 0, length: nil) }
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
    /// Reads the next line of a header block, or the part of it that has arrived.
    mutating func header(
        _ chunk: Bytes,
        _ position: inout Int,
        _ former: (count: Int, length: Int?),
        _ handler: (Event) -> Flow
    ) -> Flow {
        let end = Self.lineFeed(in: chunk, from: position)
        let part = chunk.part(position..<(end.map { $0 + 1 } ?? chunk.count))
        position += part.count
        let count = former.count + part.count
        guard end != nil else {
            guard count < Self.longestHeader else { return endHeaders(handler) }
            keep(part, atMost: Self.longestHeader)
            state = .header(count: count, length: former.length)
            return .proceed
        }
        guard !buffer.isEmpty else { return headerLine(part, (count, former.length), handler) }
        guard count <= Self.longestHeader else { return endHeaders(handler) }
        keep(part, atMost: Self.longestHeader)
        let line = buffer
        buffer = []
        return line.withUnsafeBytes { headerLine($0, (count, former.length), handler) }
    }

    /// Reads a whole line of a header block, of which it is the last one if it is empty.
    ///
    /// The end of the headers is uncertain after a bare LF, and after a length that is repeated or not 1 to 18 digits. More
    /// bytes cannot repair the block. Other headers are ignored.
    private mutating func headerLine(
        _ line: Bytes,
        _ header: (count: Int, length: Int?),
        _ handler: (Event) -> Flow
    ) -> Flow {
        guard line.dropLast().last == ASCII.carriageReturn, header.count <= Self.longestHeader else {
            return endHeaders(handler)
        }
        guard line.count > 2 else { return header.length.map { begin($0, handler) } ?? endHeaders(handler) }
        guard header.count < Self.longestHeader else { return endHeaders(handler) }
        state = .header(count: header.count, length: header.length)
        guard let colon = line.firstIndex(of: ASCII.colon), Self.isContentLength(line.part(0..<colon)) else {
            return .proceed
        }
        var value = line[(colon + 1)..<(line.count - 2)]
        while let first = value.first, Self.isBlank(first) { value.removeFirst() }
        while let last = value.last, Self.isBlank(last) { value.removeLast() }
        guard header.length == nil, 1...18 ~= value.count, value.allSatisfy(ASCII.isDigit) else {
            return endHeaders(handler)
        }
        state = .header(count: header.count, length: value.reduce(0) { $0 * 10 + Int($1 - ASCII.zero) })
        return .proceed
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == ASCII.space || byte == ASCII.tab
    }

    private static func isContentLength(_ name: Bytes) -> Bool {
        name.elementsEqual("content-length".utf8) { (0x41...0x5A ~= $0 ? $0 | 0x20 : $0) == $1 }
    }

    /// Ends the stream at a malformed header block.
    private mutating func endHeaders(_ handler: (Event) -> Flow) -> Flow {
        buffer = []
        state = .lost
        return handler(.malformedHeader)
    }

    /// Begins a message of this length after its header block.
    private mutating func begin(_ length: Int, _ handler: (Event) -> Flow) -> Flow {
        state = .header(count: 0, length: nil)
        if length == 0 { return handler(.emptyBody) }
        guard length <= maximumMessageBytes else {
            state = .discardedBody(remaining: length)
            return handler(.tooLarge)
        }
        state = .body(remaining: length)
        return .proceed
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
        state = .header(count: 0, length: nil)
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
        state = count == remaining ? .header(count: 0, length: nil) : .discardedBody(remaining: remaining - count)
    }
}
