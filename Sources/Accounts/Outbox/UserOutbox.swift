import Logging
import Synchronization
import ViewModelKit
import ViewModelProtocol
import ViewModelStorage

/// A reference that keeps a user's outbox in memory; each session that uses the outbox holds one.
package final class OutboxLease: Sendable {
    private let outbox: UserOutbox

    init(_ outbox: UserOutbox) {
        self.outbox = outbox
        outbox.beginUse()
    }

    deinit {
        outbox.endUse()
    }
}

/// The outbox of one user in memory, loaded on first use and then changed together with the store.
///
/// Changes run one after the other. A small outbox stays in memory after its load. A larger one is released with the
/// last ``OutboxLease``.
actor UserOutbox {
    /// The maximum size of an outbox that stays in memory without a session: items, and bytes of their texts.
    static let small = (items: 10_000, bytes: 1_048_576)

    nonisolated let snapshot = ObservableValue(OutboxSnapshot())
    private let uid: UInt32
    private let outbox: any Outbox
    private let logger: Logger
    /// The children of the service.
    private let tasks: ChildTasks
    /// Keeps the changes of the snapshot in the order of the store's changes.
    private let mutex = AsyncMutex()
    /// The ids that were removed from the snapshot and not yet from the store.
    private let removals = Mutex<[String]>([])
    /// The outcomes that are not in the store yet, so that a temporarily full disk loses none of them.
    private var unfinished: [String: OutboxOutcome] = [:]
    private var isRetrying = false
    /// The number of living uses.
    private let uses = Mutex(0)

    init(uid: UInt32, outbox: any Outbox, logger: Logger, tasks: ChildTasks) {
        self.uid = uid
        self.outbox = outbox
        self.logger = logger
        self.tasks = tasks
    }

    /// Loads the outbox if a session uses it or it is small, and carries out pending changes.
    func load() async {
        await mutex.withLock { try? await applyPendingChanges() }
    }

    /// Loads the outbox if it is small.
    func loadIfSmall() async {
        await mutex.withLock {
            do throws(StoreError) { try await readIfSmall() } catch { logUnreadable(error) }
        }
    }

    /// Reads the outbox again if it is in memory.
    ///
    /// - Returns: whether it could be read.
    func reread() async -> Bool {
        await mutex.withLock {
            guard snapshot.value.isLoaded || uses.withLock({ $0 > 0 }) else { return true }
            guard (try? await applyPendingChanges()) != nil else { return false }
            return await readOrLog()
        }
    }

    private func readIfSmall() async throws(StoreError) {
        guard !snapshot.value.isLoaded else { return }
        let size = try await outbox.size(of: uid)
        if size.items <= Self.small.items, size.bytes <= Self.small.bytes { try await read() }
    }

    nonisolated func beginUse() {
        uses.withLock { $0 += 1 }
        if !snapshot.value.isLoaded { tasks.add { await self.load() } }
    }

    nonisolated func endUse() {
        let isLast = uses.withLock { uses in
            uses -= 1
            return uses == 0
        }
        if isLast { tasks.add { await self.unload() } }
    }

    /// Releases the messages of a large outbox that no session uses any more.
    private func unload() async {
        await mutex.withLock {
            uses.withLock { uses in
                guard uses == 0, !Self.isSmall(snapshot.value.messages) else { return }
                snapshot.update {
                    $0.revision += 1
                    $0.isLoaded = false
                    $0.messages = []
                }
            }
        }
    }

    private static func isSmall(_ messages: [OutboxMessage]) -> Bool {
        messages.count <= small.items && messages.reduce(0) { $0 + $1.text.utf8.count } <= small.bytes
    }

    func add(_ text: String, id: String?) async throws -> OutboxMessage {
        try await change {
            switch try await outbox.add(text, id: id, of: uid) {
            case .added(let item):
                let message = OutboxMessage(item)
                if snapshot.value.isLoaded {
                    updateSnapshot { messages in
                        // A repeated addition returns the message of the first one.
                        if id == nil || !messages.contains(where: { $0.id == message.id }) { messages.append(message) }
                    }
                }
                return message
            case .tooManyItems(let limit): throw LimitExceeded(limit: "limits.outboxItemsPerUser", value: limit)
            case .tooManyBytes(let limit): throw LimitExceeded(limit: "limits.outboxBytesPerUser", value: limit)
            }
        }
    }

    func queueFailed() async throws {
        try await change { await show(try await outbox.retryAll(of: uid)) }
    }

    func claimFailed(_ id: String) async throws -> OutboxMessage? {
        try await change {
            guard let queued = try await outbox.retry(id, of: uid) else { return nil }
            let claimed = try await outbox.claim(id, of: uid)
            await show([claimed ?? queued])
            return claimed.map { OutboxMessage($0) }
        }
    }

    func claim() async throws -> OutboxMessage? {
        try await change {
            guard let item = try await outbox.claim(of: uid) else { return nil }
            await show([item])
            return OutboxMessage(item)
        }
    }

    /// Counts an attempt to deliver a claimed message.
    ///
    /// - Returns: whether the message is still claimed by this daemon.
    func countAttempt(_ id: String, problem: String?) async throws -> Bool {
        try await change {
            guard let item = try await outbox.countAttempt(id, of: uid, problem: problem) else { return false }
            await show([item])
            return true
        }
    }

    func finish(_ id: String, _ outcome: DeliveryOutcome) async throws {
        let stored: OutboxOutcome =
            switch outcome {
            case .sent: .sent
            case .failed(let problem): .failed(problem: problem)
            case .queued(let problem): .queued(problem: problem)
            }
        try await mutex.withLock {
            // The first outcome counts: a sent message must not be queued again because the disk was full.
            let outcome = unfinished[id] ?? stored
            do {
                try await applyPendingChanges()
                try await store(outcome, of: id)
            } catch {
                unfinished[id] = outcome
                retryUnfinished()
                throw error
            }
        }
    }

    /// Repeats the writes with a backoff until the store has all outcomes.
    private func retryUnfinished() {
        guard !isRetrying else { return }
        isRetrying = true
        tasks.add { await self.retryUntilStored() }
    }

    private func retryUntilStored() async {
        defer { isRetrying = false }
        var backoff = Backoff(maximum: .seconds(30))
        while !unfinished.isEmpty || removals.withLock({ !$0.isEmpty }) {
            // At a stop of the daemon comes the last attempt.
            let isLast = (try? await Task.sleep(for: backoff.delay())) == nil
            await load()
            if isLast { return }
        }
    }

    private func storeUnfinished() async throws(StoreError) {
        for (id, outcome) in unfinished {
            do {
                try await store(outcome, of: id)
            } catch {
                switch error.kind {
                case .closed: unfinished = [:]
                case .unavailable: throw error
                default: return
                }
            }
        }
    }

    /// Writes the outcome of a claimed message to the store and updates the snapshot.
    private func store(_ outcome: OutboxOutcome, of id: String) async throws(StoreError) {
        let finished = try await outbox.finish(id, of: uid, outcome)
        unfinished[id] = nil
        if let finished { await show([finished.item], without: finished.forgotten) }
    }

    /// Removes a message from the snapshot at once, and from the store before the store's next change.
    ///
    /// A message that was claimed in the meantime returns to the snapshot.
    nonisolated func remove(_ id: String) {
        removals.withLock { $0.append(id) }
        updateSnapshot { messages in messages.removeAll { $0.id == id } }
        tasks.add { await self.load() }
    }

    // MARK: The snapshot

    private func change<Result>(_ body: () async throws -> Result) async throws -> Result {
        try await mutex.withLock {
            try await applyPendingChanges()
            return try await body()
        }
    }

    /// Loads the outbox if necessary, and carries out the pending outcomes and removals.
    ///
    /// - Throws: the first error of kind `unavailable`. Each further statement would wait for the database as long.
    private func applyPendingChanges() async throws(StoreError) {
        if !snapshot.value.isLoaded {
            do throws(StoreError) {
                if uses.withLock({ $0 > 0 }) { try await read() } else { try await readIfSmall() }
            } catch {
                logUnreadable(error)
                if error.kind == .unavailable { throw error }
            }
        }
        try await storeUnfinished()
        for id in removals.withLock({ $0 }) { try await removeFromStore(id) }
    }

    private func removeFromStore(_ id: String) async throws(StoreError) {
        do {
            let isSending = try await outbox.remove(id, of: uid) == .sending
            forgetRemoval(of: id)
            let isShown = snapshot.value.messages.contains { $0.id == id }
            if snapshot.value.isLoaded, isSending != isShown { await readOrLog() }
        } catch let error where error.kind == .unavailable {
            retryUnfinished()
            throw error
        } catch {
            logger.error("A message cannot be removed", metadata: ["uid": "\(uid)", "error": "\(error)"])
            forgetRemoval(of: id)
            await readOrLog()
        }
    }

    private func forgetRemoval(of id: String) {
        removals.withLock { ids in ids.removeAll { $0 == id } }
    }

    /// Updates items in the snapshot and removes the forgotten ones from it.
    private func show(_ items: [OutboxItem], without forgotten: [String] = []) async {
        guard snapshot.value.isLoaded else { return }
        let isKnown = updateSnapshot { messages in
            if !forgotten.isEmpty {
                let forgotten = Set(forgotten)
                messages.removeAll { forgotten.contains($0.id) }
            }
            return items.allSatisfy { item in
                guard let index = messages.firstIndex(where: { $0.id == item.id }) else { return false }
                messages[index] = OutboxMessage(item)
                return true
            }
        }
        // An item was removed from the snapshot while it was claimed. Only the store knows its position.
        if !isKnown { await readOrLog() }
    }

    @discardableResult
    private nonisolated func updateSnapshot<Outcome: Sendable>(
        _ change: @Sendable (inout [OutboxMessage]) -> Outcome
    ) -> Outcome {
        snapshot.update {
            $0.revision += 1
            return change(&$0.messages)
        }
    }

    @discardableResult
    private func readOrLog() async -> Bool {
        do {
            try await read()
            return true
        } catch {
            logUnreadable(error)
            return false
        }
    }

    /// The store logs by itself when it is not available.
    private func logUnreadable(_ error: StoreError) {
        guard error.kind != .unavailable else { return }
        logger.error("The outbox cannot be read", metadata: ["uid": "\(uid)", "error": "\(error)"])
    }

    private func read() async throws(StoreError) {
        let items = try await outbox.items(of: uid)
        let removed = Set(removals.withLock { $0 })
        let messages = items.filter { !removed.contains($0.id) }.map { OutboxMessage($0) }
        snapshot.update {
            guard !$0.isLoaded || $0.messages != messages else { return }
            $0.revision += 1
            $0.isLoaded = true
            $0.messages = messages
        }
    }
}
