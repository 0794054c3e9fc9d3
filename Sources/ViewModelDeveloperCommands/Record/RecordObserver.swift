import JSONRPC
import Synchronization
import ViewModelClient
import ViewModelTranscript

/// An observer that records connections, and reports each session that is older than the recording.
///
/// The first recorded attach of a session says whether it is new.
final class RecordObserver: Sendable {
    private let recorder: TranscriptRecorder
    private let sessions = Mutex<Set<String>>([])
    private let report: @Sendable (_ session: String) -> Void

    /// Creates an observer.
    ///
    /// `report` is called once for each session that had values before the recording.
    init(_ recorder: TranscriptRecorder, report: @escaping @Sendable (_ session: String) -> Void) {
        self.recorder = recorder
        self.report = report
    }

    func open() -> Connection { Connection(recording: recorder.open(), observer: self) }

    private func attached(to session: String, isNew: Bool) {
        let isFirst = sessions.withLock { $0.insert(session).inserted }
        if isFirst, !isNew { report(session) }
    }

    /// A connection whose replies to `session.attach` are read.
    final class Connection: ConnectionObserver {
        private let recording: RecordedConnection
        private let observer: RecordObserver
        /// The ids of the requests to attach that have no reply.
        private let requests = Mutex<Set<String>>([])

        fileprivate init(recording: RecordedConnection, observer: RecordObserver) {
            self.recording = recording
            self.observer = observer
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
                observer.attached(to: session.name, isNew: session.isNew)
            }
        }

        func receivedUnreadable(_ reason: String) { recording.receivedUnreadable(reason) }

        func close() { recording.close() }
    }
}
