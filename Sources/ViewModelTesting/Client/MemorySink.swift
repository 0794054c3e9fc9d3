import ViewModelHost

/// Where a peer's messages go in a test: into an array.
final class MemorySink: MessageSink {
    /// Whether the client takes frames.
    var isReady = true
    /// Whether so much is unread that the client's requests are not read either.
    var isFull = false
    private(set) var isFinished = false
    private let take: ([UInt8]) -> Void
    /// Told when the peer takes messages again that had to wait.
    var resume: (() -> Void)?

    init(_ take: @escaping ([UInt8]) -> Void) {
        self.take = take
    }

    func write(_ body: (inout JSONWriter) -> Void) {
        guard !isFinished else { return }
        var writer = JSONWriter()
        body(&writer)
        take(writer.bytes)
    }

    func resumeReading() {
        resume?()
    }

    func finish() {
        isFinished = true
    }
}
