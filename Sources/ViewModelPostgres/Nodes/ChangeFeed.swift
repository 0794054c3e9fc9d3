package import Logging
import Synchronization
import ViewModelStorage

/// The changes of other nodes to the data of the users that this node serves.
///
/// A change is reported at least once within a second through a hint, or within the poll's interval if the hint was lost.
/// Whether there is a change is decided by the versions in the table `change`. Hints of this node are sent in batches, in a
/// transaction of their own: the server delivers them under a lock, which must not delay the changes themselves.
package final class ChangeFeed: Sendable {
    private struct State {
        /// The versions that this node has in memory, or ``ChangeFeed/unread``, of the users whose changes are reported.
        var versions: [Int64: [StorageChange.Topic: Int64]] = [:]
        /// The users whose versions must be read.
        var hinted: Set<Int64> = []
        /// The users of whose changes the other nodes have no hint yet.
        var unsent: Set<Int64> = []
        /// The hints about sessions that have not been sent.
        var hints: [NodeHint] = []
    }

    /// The number of hints that may wait.
    ///
    /// Hints beyond it are lost, as they may be.
    private static let capacity = 10_000
    /// The version of data that is being read for the first time, or could not be read.
    private static let unread: Int64 = -1

    /// The pause between two looks for missed changes.
    private let pollInterval: Duration
    private let pool: ConnectionPool
    /// The connections for hints.
    private let messages: ConnectionPool
    private let boot: String
    private let logger: Logger
    private let state = Mutex(State())
    private let (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    private let (looks, looking) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    package init(
        _ pool: ConnectionPool,
        _ messages: ConnectionPool,
        boot: String,
        pollInterval: Duration = .seconds(5),
        logger: Logger
    ) {
        self.pool = pool
        self.messages = messages
        self.boot = boot
        self.pollInterval = pollInterval
        self.logger = logger
    }

    private var channel: String { "\(pool.settings.schema)_hints" }

    /// Records that data is being read, which is reported until ``read(_:of:)`` says that it is in memory.
    func reads(_ subject: StorageChange) {
        state.withLock { state in
            if state.versions[subject.uid]?[subject.topic] == nil {
                state.versions[subject.uid, default: [:]][subject.topic] = Self.unread
            }
        }
    }

    /// Records the version of data that is in memory, and reports changes of the data from now on.
    ///
    /// The version was read before the data.
    func read(_ version: Int64, of subject: StorageChange) {
        state.withLock { state in
            // The user may have been forgotten since the reading began.
            guard state.versions[subject.uid]?[subject.topic] != nil else { return }
            state.versions[subject.uid]?[subject.topic] = version
        }
    }

    /// Reports no changes of a user's data any more.
    func forget(_ uid: Int64) {
        state.withLock { $0.versions[uid] = nil }
    }

    /// The number of users whose changes are reported.
    var userCount: Int { state.withLock { $0.versions.count } }

    /// Records changes that this node has committed, and sends hints to the other nodes.
    ///
    /// - Parameters:
    ///   - rows: the users with the numbers of their changes, as the statements that raise them return them.
    ///   - topic: the data that is changed.
    ///   - delay: how long the changes may wait for others of the same users, to share their hint.
    ///   - isReported: whether this node has to read the data again, because what it has in memory is not changed.
    /// - Throws: `StoreError` for rows of other statements.
    func changed(
        _ rows: [SQLRow],
        _ topic: StorageChange.Topic,
        within delay: Duration = .zero,
        isReported: Bool = false
    ) throws(StoreError) {
        var changes: [Int64: Int64] = [:]
        for row in rows { changes[try row.integer("uid")] = try row.integer("change_version") }
        guard !changes.isEmpty else { return }
        state.withLock { state in
            // A gap is a change of another node, which the poll must find.
            for (uid, version) in changes where !isReported && state.versions[uid]?[topic] == version - 1 {
                state.versions[uid]?[topic] = version
            }
        }
        let users = Array(changes.keys)
        if isReported { look(for: users) }
        guard delay > .zero else { return sendHint(for: users) }
        Task {
            try? await Task.sleep(for: delay)
            sendHint(for: users)
        }
    }

    private func sendHint(for users: [Int64]) {
        state.withLock { $0.unsent.formUnion(users) }
        signal.yield()
    }

    /// Sends a hint to the other nodes, and to this one.
    func send(_ hint: NodeHint) {
        state.withLock { state in
            if state.hints.count < Self.capacity { state.hints.append(hint) }
        }
        signal.yield()
    }

    /// The statement that sends the hints that a query selects as `hint`, when its transaction is committed.
    func sending(_ hints: String, _ values: [SQLValue]) -> SQLStatement {
        ("SELECT pg_notify('\(channel)', hint) FROM (\(hints)) AS hints", values)
    }

    /// Sends, receives and looks for changes until the task is cancelled.
    ///
    /// - Parameters:
    ///   - report: called for each subject that another node has changed, in any order, and returns whether it could be
    ///     read. Otherwise it is reported again after the poll's interval. A reported subject may be unchanged.
    ///   - handle: called with each hint about sessions, and with nil when hints may have been lost.
    func run(
        _ report: @escaping @Sendable (StorageChange) async -> Bool,
        _ handle: @escaping @Sendable (NodeHint?) async -> Void = { _ in }
    ) async {
        await withDiscardingTaskGroup { group in
            group.addTask { for await _ in self.signals { await self.flush() } }
            group.addTask { await self.receive(handle) }
            group.addTask { for await _ in self.looks { await self.look(report) } }
            group.addTask { await self.poll() }
        }
    }

    /// Sends what waits.
    func flush() async {
        let hints = state.withLock { state in
            defer { (state.unsent, state.hints) = ([], []) }
            return NodeHint.changes(state.unsent, by: boot) + state.hints
        }
        guard !hints.isEmpty else { return }
        do {
            try await messages.rows(
                "SELECT pg_notify($1, hint) FROM unnest($2::text[]) AS hint",
                [.text(channel), .texts(hints.map(\.text))]
            )
        } catch {
            // The other nodes find the changes when they look for missed ones.
            logger.debug("Hints about changes could not be sent to other nodes", metadata: ["error": "\(error)"])
        }
    }

    private func receive(_ handle: @Sendable (NodeHint?) async -> Void) async {
        let listener = NotificationListener(
            settings: messages.settings,
            notices: messages.notices,
            channel: channel,
            logger: logger
        )
        await listener.run { text in
            guard let text else {
                // Hints may have been lost.
                self.lookForAll()
                return await handle(nil)
            }
            switch NodeHint(text) {
            case .changed(_, self.boot), nil: break
            case .changed(let users, _): self.look(for: users)
            case .some(let hint): await handle(hint)
            }
        }
    }

    private func poll() async {
        while (try? await Task.sleep(for: pollInterval)) != nil { lookForAll() }
    }

    private func lookForAll() {
        look(for: state.withLock { Array($0.versions.keys) })
    }

    /// Leaves users to ``look(_:)``, which neither delays hints nor reads more than once for many of them.
    private func look(for users: [Int64]) {
        state.withLock { state in
            for uid in users where state.versions[uid] != nil { state.hinted.insert(uid) }
        }
        looking.yield()
    }

    /// Reads the versions of the hinted users, and reports what differs from the data in memory.
    ///
    /// The poll finds a subject again that could not be read.
    private func look(_ report: @Sendable (StorageChange) async -> Bool) async {
        let users = state.withLock { state in
            defer { state.hinted = [] }
            return Array(state.hinted)
        }
        guard !users.isEmpty else { return }
        do {
            let rows = try await pool.rows(
                "SELECT uid, topic, version FROM change WHERE uid = ANY($1)",
                [.integers(users)]
            )
            var current: [StorageChange: Int64] = [:]
            for row in rows {
                // A later version may have further topics.
                guard let topic = StorageChange.Topic(rawValue: try row.text("topic")) else { continue }
                current[StorageChange(topic, of: try row.integer("uid"))] = try row.integer("version")
            }
            for subject in users.flatMap({ uid in StorageChange.Topic.allCases.map { StorageChange($0, of: uid) } }) {
                guard let topics = state.withLock({ $0.versions[subject.uid] }) else { continue }
                let (known, version) = (topics[subject.topic], current[subject, default: 0])
                // After a failover a version may be lower.
                guard version != known ?? 0, await report(subject) else { continue }
                state.withLock { state in
                    // Unless reading the data has recorded a later version, or the user is forgotten.
                    guard state.versions[subject.uid] != nil, state.versions[subject.uid]?[subject.topic] == known
                    else {
                        return
                    }
                    state.versions[subject.uid]?[subject.topic] = version
                }
            }
        } catch {
            logger.debug("Missed changes could not be looked for", metadata: ["error": "\(error)"])
        }
    }
}
