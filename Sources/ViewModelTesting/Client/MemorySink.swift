import ViewModelHost

/// A message sink that passes each message to a closure.
final class MemorySink: MessageSink {
    /// Whether the client accepts frames.
    var isReady = true
    private(set) var isFinished = false
    private let take: ([UInt8]) -> Void
    /// Called when the peer accepts messages again that had to wait.
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
