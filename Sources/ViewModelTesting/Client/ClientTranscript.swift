import ViewModelHost
import ViewModelProtocol

/// The messages that a client has received, with the pictures that result from them.
///
/// Isolation: confined to the client's loop.
final class ClientTranscript: MessageSink {
    /// Whether the client accepts frames.
    var isReady = true
    private(set) var isFinished = false
    /// Called when the peer accepts messages again that had to wait.
    var resume: (() -> Void)?
    private(set) var messages: [ReceivedMessage] = []
    private var readCount = 0
    private(set) var faults: [HarnessError] = []
    /// Whether an author's mistake has ended the session.
    private(set) var hasSessionFailed = false
    var pictures: [BindingKey: Picture] = [:]
    var listeners: [(Frame) -> Void] = []
    var onText: (([UInt8]) -> Void)?
    /// The ids of `viewModel.bind` requests without a reply.
    var binds: Set<JSONValue> = []
    private var undelivered: [Frame] = []
    private var isDelivering = false

    func write(_ body: (inout JSONWriter) -> Void) {
        guard !isFinished else { return }
        var writer = JSONWriter()
        body(&writer)
        append(writer.bytes)
    }

    func resumeReading() { resume?() }

    func finish() { isFinished = true }

    func append(_ text: [UInt8]) {
        onText?(text)
        do {
            let message = try ReceivedMessage(text)
            messages.append(message)
            switch message {
            case .frame(let frame): try apply(frame)
            case .notification(method: SessionClosed.name, let params):
                hasSessionFailed = params["reason"]?.stringValue == SessionClosed.Reason.failed.rawValue
            case .result(let id, let value) where binds.remove(id) != nil: try keep(value.decoded())
            default: break
            }
        } catch {
            faults.append(error)
        }
    }

    /// Returns the messages since the last call.
    func takeNew() -> [ReceivedMessage] {
        defer { readCount = messages.count }
        return Array(messages[readCount...])
    }

    /// Applies the reply to `viewModel.bind`, which arrives before the frames of the binding.
    private func keep(_ result: ViewModelBind.Result) throws(HarnessError) {
        do {
            let key = BindingKey(instance: result.id, tag: result.tag)
            if try pictures[key]?.apply(result) == nil { pictures[key] = Picture(result) }
        } catch {
            throw HarnessError("the reply to a binding does not fit the picture: \(error)")
        }
    }

    private func apply(_ frame: Frame) throws(HarnessError) {
        do {
            try pictures[frame.params.key]?.apply(frame.params)
        } catch {
            throw HarnessError("a frame does not fit its picture: \(error)")
        }
        deliver(frame)
    }

    private func deliver(_ frame: Frame) {
        undelivered.append(frame)
        guard !isDelivering else { return }
        isDelivering = true
        while !undelivered.isEmpty {
            let next = undelivered.removeFirst()
            for listener in listeners { listener(next) }
        }
        isDelivering = false
    }
}
