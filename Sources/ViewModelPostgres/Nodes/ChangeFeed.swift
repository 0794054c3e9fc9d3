package import Logging
import Synchronization

/// The changes of other nodes to the data of the users that this node serves.
///
/// A change is reported at least once within a second through a notification, or within ``pollInterval`` if the
/// notification was lost. Notifications of this node's own changes are sent in batches, in a transaction of their own: the
/// server delivers them under a lock, which must not delay the changes themselves.
package final class ChangeFeed: Sendable {
    private struct State {
        /// The latest known version of each followed subject.
        var versions: [ChangeNotice.Subject: Int64] = [:]
        /// The users whose changes are reported.
        var users: Set<Int64> = []
        /// The changes of this node that the others have not been told.
        var unsent: [ChangeNotice.Subject: Int64] = [:]
        /// The version of the latest change of each subject that the others were told, or will be.
        var told: [ChangeNotice.Subject: Int64] = [:]
        /// The changed subjects that have not been reported.
        var unreported: Set<ChangeNotice.Subject> = []
        /// The messages that have not been sent.
        var messages: [NodeMessage] = []
    }

    /// The number of messages that may wait.
    ///
    /// Messages beyond it are lost, as they may be.
    private static let capacity = 10_000

    /// The pause between two looks for missed changes.
    private let pollInterval: Duration
    private let pool: ConnectionPool
    private let boot: String
    private let logger: Logger
    private let state = Mutex(State())
    private let (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    private let (reports, reporting) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    /// Creates a feed for one boot.
    package init(_ pool: ConnectionPool, boot: String, pollInterval: Duration = .seconds(5), logger: Logger) {
        self.pool = pool
        self.boot = boot
        self.pollInterval = pollInterval
        self.logger = logger
    }

    /// The name of the channel of notifications.
    private var channel: String { "\(pool.settings.schema)_changes" }

    /// The name of the channel of messages between nodes.
    private var messageChannel: String { "\(pool.settings.schema)_nodes" }

    /// Reports changes of a user's data from now on; -1 is the daemon itself.
    package func follow(_ uid: Int64) {
        state.withLock { _ = $0.users.insert(uid) }
    }

    /// Records a change that this node has committed, and tells the other nodes.
    ///
    /// - Parameters:
    ///   - notice: the change.
    ///   - delay: how long it may wait for another change of the same subject, which is told with it.
    ///   - isReported: whether this node has to read the data again, because what it has in memory is not changed.
    package func changed(_ notice: ChangeNotice, within delay: Duration = .zero, isReported: Bool = false) {
        state.withLock { state in
            let subject = notice.subject
            // A gap is a change of another node, which the poll must find.
            if !isReported, state.versions[subject] == notice.version - 1 { state.versions[subject] = notice.version }
        }
        if isReported, isNew(notice) { reportLater([notice.subject]) }
        guard delay > .zero else { return tell(notice) }
        Task {
            try? await Task.sleep(for: delay)
            tell(notice)
        }
    }

    /// Tells the other nodes of a change, unless they know of a later one.
    private func tell(_ notice: ChangeNotice) {
        state.withLock { state in
            let subject = notice.subject
            guard notice.version > state.told[subject] ?? 0 else { return }
            state.told[subject] = notice.version
            state.unsent[subject] = notice.version
        }
        signal.yield()
    }

    /// Sends a message to the other nodes, and to this one.
    func announce(_ message: NodeMessage) {
        state.withLock { state in
            if state.messages.count < Self.capacity { state.messages.append(message) }
        }
        signal.yield()
    }

    /// Sends, receives and looks for changes until the task is cancelled.
    ///
    /// - Parameters:
    ///   - report: called for each subject that another node has changed, in any order, and returns whether it could be
    ///     read. Otherwise it is reported again after the poll's interval. A reported subject may be unchanged.
    ///   - handle: called with each message, and with nil when messages may have been lost.
    func run(
        _ report: @escaping @Sendable (ChangeNotice.Subject) async -> Bool,
        _ handle: @escaping @Sendable (NodeMessage?) async -> Void = { _ in }
    ) async {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.send() }
            group.addTask { await self.receive(handle) }
            group.addTask { await self.poll() }
            group.addTask { await self.reportAll(report) }
        }
    }

    private func send() async {
        for await _ in signals { await flush() }
    }

    /// Sends what waits.
    func flush() async {
        let (notices, messages) = state.withLock { state in
            defer { (state.unsent, state.messages) = ([:], []) }
            return (state.unsent.map { ChangeNotice(subject: $0.key, version: $0.value) }, state.messages)
        }
        guard !notices.isEmpty || !messages.isEmpty else { return }
        let payloads =
            ChangePayload.texts(notices, from: boot).map { (channel, $0) }
            + messages.map { (messageChannel, $0.text) }
        do {
            try await pool.rows(
                "SELECT pg_notify(channel, payload) FROM unnest($1::text[], $2::text[]) AS notice (channel, payload)",
                [.texts(payloads.map(\.0)), .texts(payloads.map(\.1))],
                isIdempotent: true
            )
        } catch {
            // The other nodes find the changes when they look for missed ones.
            logger.debug("Other nodes were not told of changes", metadata: ["error": "\(error)"])
        }
    }

    private func receive(_ handle: @Sendable (NodeMessage?) async -> Void) async {
        let listener = NotificationListener(
            pool.settings,
            pool.notices,
            channels: [channel, messageChannel],
            logger: logger
        )
        await listener.run { event in
            switch event {
            case .listening:
                // Notifications may have been lost, so everything is read again. After a failover the versions may be lower.
                self.state.withLock { ($0.versions, $0.told) = ([:], [:]) }
                await handle(nil)
                self.reportLater(self.followed)
            case .notification(self.messageChannel, let payload):
                if let message = NodeMessage(payload) { await handle(message) }
            case .notification(_, let payload):
                let (sender, notices) = ChangePayload.parse(payload)
                guard sender != self.boot else { return }
                self.reportLater(notices.filter(self.isNew).map(\.subject))
            }
        }
    }

    /// Leaves subjects to ``reportAll(_:)``, so that reading their data delays neither messages nor further changes.
    private func reportLater(_ subjects: [ChangeNotice.Subject]) {
        guard !subjects.isEmpty else { return }
        state.withLock { $0.unreported.formUnion(subjects) }
        reporting.yield()
    }

    /// Reports each changed subject, once for all changes until then.
    ///
    /// The version of a subject that could not be read is forgotten, so that the poll finds it.
    private func reportAll(_ report: @Sendable (ChangeNotice.Subject) async -> Bool) async {
        for await _ in reports {
            while let subject = state.withLock({ $0.unreported.popFirst() }) {
                if await report(subject) { continue }
                state.withLock { $0.versions[subject] = nil }
            }
        }
    }

    private func poll() async {
        while !Task.isCancelled {
            try? await Task.sleep(for: pollInterval)
            let users = state.withLock { Array($0.users) }
            guard !users.isEmpty, !Task.isCancelled else { continue }
            do {
                let rows = try await pool.rows(
                    "SELECT uid, topic, version FROM change WHERE uid = ANY($1)",
                    [.integers(users)],
                    isIdempotent: true
                )
                let notices = try rows.map { row in
                    let topic = ChangeNotice.Topic(rawValue: try row.text("topic"))
                    let subject = ChangeNotice.Subject(uid: try row.integer("uid"), topic: topic)
                    return ChangeNotice(subject: subject, version: try row.integer("version"))
                }
                reportLater(notices.filter(isNew).map(\.subject))
            } catch {
                logger.debug("Missed changes could not be looked for", metadata: ["error": "\(error)"])
            }
        }
    }

    private var followed: [ChangeNotice.Subject] {
        state.withLock { state in
            let topics: [ChangeNotice.Topic] = [.account, .outbox, .values]
            return state.users.flatMap { uid in topics.map { ChangeNotice.Subject(uid: uid, topic: $0) } }
        }
    }

    /// Records the version of a notice, and returns whether it must be reported.
    private func isNew(_ notice: ChangeNotice) -> Bool {
        state.withLock { state in
            let subject = notice.subject
            let isNew = state.users.contains(subject.uid) && (state.versions[subject] ?? -1) < notice.version
            if isNew { state.versions[subject] = notice.version }
            return isNew
        }
    }
}
