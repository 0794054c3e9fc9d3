import JSONRPC
import Synchronization
import ViewModelClient
import ViewModelTranscript

/// An observer that records a connection, and reports the sessions to which its client has attached.
final class RecordObserver: ConnectionObserver {
    private let recording: RecordedConnection
    private let attached: @Sendable (_ session: String, _ isNew: Bool) -> Void
    /// The ids of the requests to attach that have no reply.
    private let requests = Mutex<Set<String>>([])

    init(_ recording: RecordedConnection, attached: @escaping @Sendable (_ session: String, _ isNew: Bool) -> Void) {
        self.recording = recording
        self.attached = attached
    }

    func received(_ message: Bytes) {
        recording.received(message)
        for part in JSONValue(text: Array(message))?.messages ?? []
        where part["method"]?.stringValue == SessionAttach.name {
            if let id = part["id"]?.description { requests.withLock { _ = $0.insert(id) } }
        }
    }

    func sent(_ message: [UInt8]) {
        recording.sent(message)
        guard requests.withLock({ !$0.isEmpty }) else { return }
        for part in JSONValue(text: message)?.messages ?? [] {
            guard let id = part["id"]?.description, requests.withLock({ $0.remove(id) != nil }),
                let session = part.attachedSession
            else { continue }
            attached(session.name, session.isNew)
        }
    }

    func receivedUnreadable(_ reason: String) { recording.receivedUnreadable(reason) }

    func close() { recording.close() }
}
