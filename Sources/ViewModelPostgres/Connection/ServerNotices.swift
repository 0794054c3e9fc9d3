import CPostgres
import Logging
import Synchronization

/// The notices of the server and of libpq, such as a collation that differs from the operating system's.
///
/// Each is logged once, because the server repeats it on every connection.
final class ServerNotices: Sendable {
    /// The largest number of different notices that are logged.
    private static let capacity = 100

    private let label: String
    private let logger: Logger
    private let known = Mutex<Set<String>>([])

    init(of label: String, logger: Logger) {
        self.label = label
        self.logger = logger
    }

    /// Receives the notices of a connection from now on; libpq writes them to standard error otherwise.
    ///
    /// `notices` must outlive the connection; nil drops the notices.
    static func receive(from handle: OpaquePointer, _ notices: ServerNotices?) {
        let receiver: PQnoticeReceiver = { notices, result in
            guard let notices, let result else { return }
            Unmanaged<ServerNotices>.fromOpaque(notices).takeUnretainedValue().report(result)
        }
        _ = PQsetNoticeReceiver(handle, receiver, notices.map { Unmanaged.passUnretained($0).toOpaque() })
    }

    private func report(_ notice: OpaquePointer) {
        func field(_ code: Character) -> String? {
            PQresultErrorField(notice, Int32(code.asciiValue ?? 0)).map { String(cString: $0) }
        }
        let text = field("M") ?? PostgresConnection.line(PQresultErrorMessage(notice))
        guard known.withLock({ $0.count < Self.capacity && $0.insert(text).inserted }) else { return }
        var metadata: Logger.Metadata = ["database": "\(label)", "notice": "\(text)"]
        metadata["detail"] = field("D").map { "\($0)" }
        metadata["hint"] = field("H").map { "\($0)" }
        let isWarning = (field("V") ?? field("S")) == "WARNING"
        logger.log(level: isWarning ? .warning : .debug, "The database sent a notice", metadata: metadata)
    }
}
