import NIOCore

/// The parts of a message, put together.
///
/// A value without I/O.
struct MessageCollector: Sendable {
    private let maximumBytes: Int
    private var message: ByteBuffer?

    /// Creates a collector of messages up to a length.
    init(maximumBytes: Int) {
        self.maximumBytes = maximumBytes
    }

    /// The outcome of a part.
    enum Outcome: Equatable {
        case unfinished
        case message(ByteBuffer)
        case tooLong
    }

    /// Adds the next part of a message.
    mutating func add(_ part: ByteBuffer, isFirst: Bool, isLast: Bool) -> Outcome {
        if isFirst { message = nil }
        guard (message?.readableBytes ?? 0) + part.readableBytes <= maximumBytes else { return .tooLong }
        guard var whole = message.take() else {
            if isLast { return .message(part) }
            message = part
            return .unfinished
        }
        whole.writeImmutableBuffer(part)
        if isLast { return .message(whole) }
        message = whole
        return .unfinished
    }
}
