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
        /// The versions that this node knows, of the users whose changes are reported.
        var versions: [Int64: [StorageChange.Topic: Int64]] = [:]
        /// The data that is being read for the first time, or could not be read.
        var unread: [Int64: Set<StorageChange.Topic>] = [:]
        /// The users whose versions must be read.
        var hinted: Set<Int64> = []
        /// The subjects that have not been reported, each with its version.
        var unreported: [StorageChange: Int64] = [:]
        /// The users whose changes the others have not been told.
        var unsent: Set<Int64> = []
        /// The hints about sessions that have not been sent.
        var hints: [NodeHint] = []

        mutating func isRead(_ subject: StorageChange) {
            unread[subject.uid]?.remove(subject.topic)
            if unread[subject.uid]?.isEmpty == true { unread[subject.uid] = nil }
        }
    }

    /// The number of hints that may wait.
    ///
    /// Hints beyond it are lost, as they may be.
    private static let capacity = 10_000

    /// The pause between two looks for missed changes.
    private let pollInterval: Duration
    private let connections: StoreConnections
    private let boot: String
    private let logger: Logger
    private let state = Mutex(State())
    private let (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    private let (looks, looking) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    private let (reports, reporting) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    /// Creates a feed for one boot.
    package init(
        _ connections: StoreConnections,
        boot: String,
        pollInterval: Duration = .seconds(5),
        logger: Logger
    ) {
        self.connections = connections
        self.boot = boot
        self.pollInterval = pollInterval
        self.logger = logger
    }

    /// The name of the channel.
    private var channel: String { "\(connections.work.settings.schema)_hints" }

    /// The query for the version of a subject.
    static func version(_ subject: StorageChange) -> SQLStatement {
        (
            "SELECT version FROM change WHERE uid = $1 AND topic = $2",
            [.integer(subject.uid), .text(subject.topic.rawValue)]
        )
    }

    /// Records that data is being read, which is reported until ``read(_:of:)`` says that it is in memory.
    func reads(_ subject: StorageChange) {
        state.withLock { state in
            guard state.versions[subject.uid]?[subject.topic] == nil else { return }
            state.unread[subject.uid, default: []].insert(subject.topic)
        }
    }

    /// Records the version of data that is in memory, and reports changes of the user's data from now on.
    ///
    /// - Parameters:
    ///   - version: the version, read before the data.
    ///   - subject: the data.
    func read(_ version: Int64, of subject: StorageChange) {
        state.withLock { state in
            // The user may have been forgotten since the reading began.
            guard state.versions[subject.uid] != nil || state.unread[subject.uid]?.contains(subject.topic) == true
            else {
                return
            }
            state.versions[subject.uid, default: [:]][subject.topic] = version
            state.isRead(subject)
        }
    }

    /// Reports no changes of a user's data any more.
    func forget(_ uid: Int64) {
        state.withLock { ($0.versions[uid], $0.unread[uid]) = (nil, nil) }
    }

    /// The number of users whose changes are reported.
    var userCount: Int { state.withLock { $0.versions.count } }

    /// Records a change that this node has committed, and tells the other nodes.
    ///
    /// - Parameters:
    ///   - notice: the change.
    ///   - delay: how long it may wait for another change of the same user, which is told with it.
    ///   - isReported: whether this node has to read the data again, because what it has in memory is not changed.
    package func changed(_ notice: ChangeNotice, within delay: Duration = .zero, isReported: Bool = false) {
        let uid = notice.subject.uid
        state.withLock { state in
            // A gap is a change of another node, which the poll must find.
            if !isReported, state.versions[uid]?[notice.subject.topic] == notice.version - 1 {
                state.versions[uid]?[notice.subject.topic] = notice.version
            }
        }
        if isReported { look(for: [uid]) }
        guard delay > .zero else { return tell(uid) }
        Task {
            try? await Task.sleep(for: delay)
            tell(uid)
        }
    }

    private func tell(_ uid: Int64) {
        state.withLock { _ = $0.unsent.insert(uid) }
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
        ("SELECT pg_notify('\(channel)', hint) FROM (\(hints)) AS told", values)
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
            group.addTask { for await _ in self.looks { await self.look() } }
            group.addTask { await self.poll() }
            group.addTask { await self.reportAll(report) }
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
            try await connections.messages.rows(
                "SELECT pg_notify($1, hint) FROM unnest($2::text[]) AS hint",
                [.text(channel), .texts(hints.map(\.text))],
                isIdempotent: true
            )
        } catch {
            // The other nodes find the changes when they look for missed ones.
            logger.debug("Other nodes were not told of changes", metadata: ["error": "\(error)"])
        }
    }

    private func receive(_ handle: @Sendable (NodeHint?) async -> Void) async {
        let messages = connections.messages
        let listener = NotificationListener(messages.settings, messages.notices, channel: channel, logger: logger)
        await listener.run { event in
            switch event {
            case .listening:
                // Hints may have been lost.
                self.lookForAll()
                await handle(nil)
            case .notification(let text):
                switch NodeHint(text) {
                case .changed(_, self.boot), nil: break
                case .changed(let users, _): self.look(for: users)
                case .some(let hint): await handle(hint)
                }
            }
        }
    }

    private func poll() async {
        while (try? await Task.sleep(for: pollInterval)) != nil { lookForAll() }
    }

    /// Reports what could not be read, and looks for changes of the rest.
    private func lookForAll() {
        let users = state.withLock { state in
            for (uid, topics) in state.unread {
                for topic in topics { state.unreported[StorageChange(topic, of: uid)] = 0 }
            }
            return Array(state.versions.keys)
        }
        reporting.yield()
        look(for: users)
    }

    /// Leaves users to ``look()``, which neither delays hints nor reads more than once for many of them.
    private func look(for users: [Int64]) {
        state.withLock { state in
            for uid in users where state.versions[uid] != nil { state.hinted.insert(uid) }
        }
        looking.yield()
    }

    /// Reads the versions of the hinted users, and leaves what has changed to ``reportAll(_:)``.
    private func look() async {
        let users = state.withLock { state in
            defer { state.hinted = [] }
            return Array(state.hinted)
        }
        guard !users.isEmpty else { return }
        do {
            let rows = try await connections.work.rows(
                "SELECT uid, topic, version FROM change WHERE uid = ANY($1)",
                [.integers(users)],
                isIdempotent: true
            )
            let found = try rows.compactMap { row -> (StorageChange, Int64)? in
                // A later version may have further topics.
                guard let topic = StorageChange.Topic(rawValue: try row.text("topic")) else { return nil }
                return (StorageChange(topic, of: try row.integer("uid")), try row.integer("version"))
            }
            state.withLock { state in
                // After a failover a version may be lower.
                for (subject, version) in found
                where state.versions[subject.uid].map({ $0[subject.topic] != version }) == true {
                    state.unreported[subject] = version
                }
            }
            reporting.yield()
        } catch {
            logger.debug("Missed changes could not be looked for", metadata: ["error": "\(error)"])
        }
    }

    /// Reports each changed subject, once for all changes until then.
    ///
    /// The poll finds a subject again that could not be read.
    private func reportAll(_ report: @Sendable (StorageChange) async -> Bool) async {
        for await _ in reports {
            while let (subject, version) = state.withLock({ $0.unreported.popFirst() }) {
                let known = state.withLock { $0.versions[subject.uid]?[subject.topic] }
                guard await report(subject) else { continue }
                state.withLock { state in
                    state.isRead(subject)
                    // Unless reading the data has recorded a later version, or the user is forgotten.
                    guard state.versions[subject.uid] != nil, state.versions[subject.uid]?[subject.topic] == known
                    else {
                        return
                    }
                    state.versions[subject.uid]?[subject.topic] = version
                }
            }
        }
    }
}
