import JSONRPC
import Synchronization
import ViewModelClient
import ViewModelTranscript

/// Returns an observer that records a connection, and reports the sessions to which its client has attached.
func recordObserver(
    _ recording: @escaping ConnectionObserver,
    attached: @escaping @Sendable (_ session: String, _ isNew: Bool) -> Void
) -> ConnectionObserver {
    // The ids of the requests to attach that have no reply.
    let requests = Mutex<Set<String>>([])
    return { event in
        recording(event)
        switch event {
        case .received(let message):
            for part in JSONValue(text: Array(message))?.messages ?? []
            where part["method"]?.stringValue == SessionAttach.name {
                if let id = part["id"]?.description { requests.withLock { _ = $0.insert(id) } }
            }
        case .sent(let message):
            guard requests.withLock({ !$0.isEmpty }) else { return }
            for part in JSONValue(text: message)?.messages ?? [] {
                guard let id = part["id"]?.description, requests.withLock({ $0.remove(id) != nil }),
                    let session = part.attachedSession
                else { continue }
                attached(session.name, session.isNew)
            }
        case .unreadable, .closed: break
        }
    }
}
