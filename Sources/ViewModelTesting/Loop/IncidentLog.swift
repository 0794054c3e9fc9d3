import Logging
import Synchronization

/// A log that keeps what the host reports as faults of the daemon's own.
final class IncidentLog: LogHandler, Sendable {
    private let kept = Mutex<[(id: String, error: String)]>([])

    /// The errors, the oldest first.
    var errors: [String] { kept.withLock { $0.map(\.error) } }

    /// The error behind an incident's id.
    func error(of incident: String) -> String? {
        kept.withLock { $0.first { $0.id == incident }?.error }
    }

    var logger: Logger { Logger(label: "ViewModelTesting") { _ in self } }

    var logLevel: Logger.Level {
        get { .error }
        set {}
    }

    var metadata: Logger.Metadata {
        get { [:] }
        set {}
    }

    subscript(metadataKey _: String) -> Logger.Metadata.Value? {
        get { nil }
        set {}
    }

    func log(event: LogEvent) {
        let metadata = event.metadata ?? [:]
        let error = metadata["error"].map { "\($0)" } ?? "\(event.message)"
        kept.withLock { $0.append((metadata["incident"].map { "\($0)" } ?? "", "\(error) (\(event.message))")) }
    }
}
