import Logging
import Synchronization
import ViewModelKit
import ViewModelProtocol
package import ViewModelStorage

/// The outbox of one user in memory, loaded on first use and then changed together with the store.
///
/// Changes run one after the other. The change of an `async` function is on disk when it returns, and in the messages if
/// they are in memory. A cancelled caller does not interrupt a change half-way.
///
/// A small outbox is loaded before the first session of its user. A larger one is loaded when a session uses it.
package actor UserOutbox {
    /// The maximum size of an outbox that is loaded before a session uses it: items, and bytes of their texts.
    static let small = (items: 10_000, bytes: 1_048_576)

    /// Signals the changes of the messages in memory.
    nonisolated let changed = ChangeSignal()
    private let content = Mutex(OutboxContent())
    private let uid: UInt32
    private let outbox: any Outbox
    private let logger: Logger
    private let tasks: ChildTasks
    /// Keeps the changes of the snapshot in the order of the store's changes.
    private let mutex = AsyncMutex()
    /// The ids that were removed from the snapshot and not yet from the store.
    private let removals = Mutex<Set<String>>([])
    /// The reasons why the latest attempts of claimed messages have failed, which the store does not have yet.
    private var problems: [String: String] = [:]
    /// The outcomes that are not in the store yet, so that a temporarily full disk loses none of them.
    private var unfinished: [String: OutboxOutcome] = [:]
    private var isRetrying = false
    /// Whether a session has used the outbox.
    private let isUsed = Atomic(false)

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

    /// Reads the outbox again if it is in memory; returns whether it could be read.
    func reread() async -> Bool {
        await mutex.withLock {
            guard isLoaded || isUsed.load(ordering: .relaxed) else { return true }
            guard (try? await applyPendingChanges()) != nil else { return false }
            return await readOrLog()
        }
    }

    private func readIfSmall() async throws(StoreError) {
        guard !isLoaded else { return }
        let size = try await outbox.size(of: uid)
        if size.items <= Self.small.items, size.bytes <= Self.small.bytes { try await read() }
    }

    /// Starts to load the outbox for a session, whatever its size.
    package nonisolated func use() {
        isUsed.store(true, ordering: .relaxed)
        if !isLoaded { tasks.add { await self.load() } }
    }

    /// Adds a message and stores it on disk.
    ///
    /// - Throws: `LimitExceeded` if the user's outbox is full, or the store's error.
    package func add(_ text: String, id: String? = nil) async throws -> OutboxMessage {
        try await change {
            // A repeated addition returns the message of the first one.
            let message = try await outbox.add(text, id: id, of: uid).get()
            if isLoaded { update { $0.append(message) } }
            return message
        }
    }

    /// Queues the failed messages again.
    package func queueFailed() async throws {
        try await change { await show(try await outbox.retry(nil, of: uid)) }
    }

    /// Queues a failed message again and claims it.
    ///
    /// Returns nil if the message has not failed, or if another caller has claimed it.
    package func claimFailed(_ id: String) async throws -> OutboxMessage? {
        try await change {
            guard let queued = try await outbox.retry(id, of: uid).first else { return nil }
            let claimed = try await outbox.claim(id, of: uid)
            await show([claimed ?? queued])
            return claimed
        }
    }

    /// Claims the oldest queued message for the caller, or returns nil if the queue is empty.
    ///
    /// The caller must call ``finish(_:_:)``. Until then no other caller gets the message.
    package func claim() async throws -> OutboxMessage? {
        try await change {
            guard let message = try await outbox.claim(nil, of: uid) else { return nil }
            await show([message])
            return message
        }
    }

    /// Counts an attempt to deliver a claimed message; call it before the attempt.
    ///
    /// - Returns: whether the message is still claimed by this daemon. Otherwise it must not be delivered.
    @discardableResult
    package func countAttempt(_ id: String, problem: String? = nil) async throws -> Bool {
        try await change {
            guard let message = try await outbox.countAttempt(id, of: uid, problem: problem) else { return false }
            problems[id] = nil
            await show([message])
            return true
        }
    }

    /// Shows why the latest attempt to deliver a claimed message has failed.
    ///
    /// The store gets the reason with the next attempt, or with the outcome.
    package func showProblem(_ problem: String, of id: String) async {
        await mutex.withLock {
            problems[id] = problem
            guard var message = message(id), message.status == .sending else { return }
            message.problem = problem
            update { [message] in _ = $0.replace(message) }
        }
    }

    /// Stores the outcome of a claimed message.
    ///
    /// If the store fails, this throws, and the write is repeated in the background.
    package func finish(_ id: String, _ outcome: OutboxOutcome) async throws {
        try await mutex.withLock {
            // The first outcome counts: a sent message must not be queued again because the disk was full.
            let outcome = unfinished[id] ?? outcome
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
                if error.isUnavailable { throw error }
                if error.kind == .closed { unfinished = [:] }
                return
            }
        }
    }

    /// Writes the outcome of a claimed message to the store and updates the snapshot.
    private func store(_ outcome: OutboxOutcome, of id: String) async throws(StoreError) {
        let finished = try await outbox.finish(id, of: uid, outcome)
        unfinished[id] = nil
        problems[id] = nil
        if let finished { await show([finished.item], without: finished.forgotten) }
    }

    /// Removes a message at once from memory, and from the store before the store's next change.
    ///
    /// A message that was claimed in the meantime returns.
    package nonisolated func remove(_ id: String) {
        removals.withLock { _ = $0.insert(id) }
        update { $0.remove(id) }
        tasks.add { await self.load() }
    }

    // MARK: The messages in memory

    /// The current messages, without a copy.
    ///
    /// If the value is kept, the next change copies them.
    nonisolated var snapshot: OutboxContent { content.withLock { $0 } }

    private nonisolated var isLoaded: Bool { content.withLock { $0.isLoaded } }

    /// Returns the changes of the messages after a revision, or nil if there are none.
    ///
    /// The cost does not depend on the number of messages, unless too many edits have been made since.
    nonisolated func changes(since revision: Int) -> OutboxChanges? {
        content.withLock { $0.changes(since: revision) }
    }

    /// Returns a message, or nil if no message in memory has this id.
    nonisolated func message(_ id: String) -> OutboxMessage? {
        content.withLock { $0.message(id) }
    }

    private func change<Result>(_ body: () async throws -> Result) async throws -> Result {
        try await mutex.withLock {
            try await applyPendingChanges()
            return try await body()
        }
    }

    /// Loads the outbox if necessary, and carries out the pending outcomes and removals.
    ///
    /// - Throws: the first error of a store that is unavailable. Each further statement would wait for it as long.
    private func applyPendingChanges() async throws(StoreError) {
        if !isLoaded {
            do throws(StoreError) {
                if isUsed.load(ordering: .relaxed) { try await read() } else { try await readIfSmall() }
            } catch {
                logUnreadable(error)
                if error.isUnavailable { throw error }
            }
        }
        try await storeUnfinished()
        for id in removals.withLock({ $0 }) { try await removeFromStore(id) }
    }

    private func removeFromStore(_ id: String) async throws(StoreError) {
        do {
            let isSending = try await outbox.remove(id, of: uid)
            forgetRemoval(of: id)
            if isLoaded, isSending != (message(id) != nil) { await readOrLog() }
        } catch let error where error.isUnavailable {
            retryUnfinished()
            throw error
        } catch {
            logger.error("A message cannot be removed", metadata: ["uid": "\(uid)", "error": "\(error)"])
            forgetRemoval(of: id)
            await readOrLog()
        }
    }

    private func forgetRemoval(of id: String) {
        removals.withLock { _ = $0.remove(id) }
    }

    /// Updates messages in memory and removes the forgotten ones.
    private func show(_ messages: [OutboxMessage], without forgotten: [String] = []) async {
        guard isLoaded else { return }
        let isKnown = update { content in
            for id in forgotten { content.remove(id) }
            return messages.reduce(true) { content.replace($1) && $0 }
        }
        // A message was removed from memory while it was claimed. Only the store knows its position.
        if !isKnown { await readOrLog() }
    }

    @discardableResult
    private nonisolated func update<Outcome: Sendable>(
        _ change: @Sendable (inout OutboxContent) -> Outcome
    ) -> Outcome {
        let (outcome, isChanged) = content.withLock { content in
            let former = content.revision
            return (change(&content), content.revision != former)
        }
        if isChanged { changed.send() }
        return outcome
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
        if error.isUnavailable { return }
        logger.error("The outbox cannot be read", metadata: ["uid": "\(uid)", "error": "\(error)"])
    }

    private func read() async throws(StoreError) {
        var messages = try await outbox.items(of: uid)
        let removed = removals.withLock { $0 }
        messages.removeAll { removed.contains($0.id) }
        for index in messages.indices where messages[index].status == .sending {
            messages[index].problem = problems[messages[index].id] ?? messages[index].problem
        }
        update { [messages] in $0.load(messages) }
    }
}
