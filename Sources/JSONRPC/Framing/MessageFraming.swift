/// Splits a stream into messages (protocol, section 1).
///
/// The first byte decides the framing: `C` or `c` begins headers, anything else lines. A message that lies wholly in
/// one chunk is handed on without being copied. Of others at most one is buffered, and never more than the limit.
public struct MessageFraming: Sendable {
    /// How the stream's messages are told apart.
    public enum Mode: Sendable, Equatable {
        /// No byte has come yet.
        case undetermined
        /// One message a line.
        case lines
        /// `Content-Length` headers before each message.
        case header
    }

    /// What was found in the stream; its bytes are borrowed for the call.
    public enum Event {
        /// A message, neither its header nor its line end.
        case message(Bytes)
        /// A message over the limit; its rest is discarded as it comes.
        case tooLarge
        /// A header block that says no length: answered -32700; everything behind it is ignored.
        case malformedHeader
        /// A message of no bytes: answered -32700.
        case emptyBody
    }

    /// Whether the handler wants the next event.
    public enum Flow: Sendable, Equatable {
        /// At once, if there is one.
        case proceed
        /// Later: it leaves the rest of the chunk to its caller.
        case pause
    }

    /// Where in the stream the next byte stands.
    enum State {
        /// In a line, or before the first byte.
        case line
        /// In a line that is over the limit.
        case discardedLine
        /// In a header block.
        case header
        /// In a message of known length.
        case body(remaining: Int)
        /// In one that is over the limit.
        case discardedBody(remaining: Int)
        /// Behind a malformed header.
        case lost
    }

    /// How the stream's messages are told apart, as far as is known.
    public private(set) var mode = Mode.undetermined

    /// The longest message, its line end not counted.
    public var maximumMessageBytes: Int
    var state = State.line
    var header = HeaderBlock()
    /// What has come of an unfinished message.
    var buffer: [UInt8] = []

    /// How many bytes of an unfinished message or header block are held.
    public var bufferedBytes: Int { buffer.count + header.count }

    /// Makes the framing of a new stream.
    public init(maximumMessageBytes: Int) {
        self.maximumMessageBytes = maximumMessageBytes
    }

    /// Takes the next bytes of the stream and calls the handler for each event in them.
    ///
    /// - Returns: How many bytes were consumed: all, or those up to the end of the message at which the handler
    ///   answered ``Flow/pause``. The caller passes the others in again, before any that follow.
    public mutating func consume(_ chunk: Bytes, _ handler: (Event) -> Flow) -> Int {
        determineMode(from: chunk)
        var position = 0
        while position < chunk.count {
            let event: Flow =
                switch state {
                case .line: line(chunk, &position, handler)
                case .discardedLine: discardLine(chunk, &position)
                case .header: headerBytes(chunk, &position, handler)
                case .body(let remaining): body(chunk, &position, remaining, handler)
                case .discardedBody(let remaining): discardBody(chunk, &position, remaining)
                case .lost: ignore(chunk, &position)
                }
            if event == .pause { break }
        }
        return position
    }

    /// Finds the mode out, if it is not known yet; ``consume(_:_:)`` does so by itself.
    ///
    /// For a caller that has to know the mode while it handles the first event.
    public mutating func determineMode(from chunk: Bytes) {
        guard mode == .undetermined, let first = chunk.first else { return }
        mode = first | 0x20 == 0x63 ? .header : .lines  // C, c
        if mode == .header { state = .header }
    }

    private mutating func ignore(_ chunk: Bytes, _ position: inout Int) -> Flow {
        position = chunk.count
        return .proceed
    }

    /// Keeps bytes of an unfinished message; grows by doubling, but not beyond what the message may have.
    mutating func keep(_ bytes: Bytes, atMost limit: Int) {
        let needed = buffer.count + bytes.count
        if needed > buffer.capacity {
            buffer.reserveCapacity(max(needed, min(2 * buffer.capacity, limit)))
        }
        buffer.append(contentsOf: bytes)
    }
}
