import Logging
import Synchronization
import ViewModelStore

/// What is known of one user's outbox: read once, then changed with the store, one change after the other.
actor UserOutbox {
    nonisolated let snapshot = Observed(OutboxSnapshot())
    private let uid: UInt32
    private let outbox: Outbox
    private let logger: Logger
    /// Keeps the snapshot's changes in the order of the store's.
    private let turnstile = Turnstile()
    /// What is shown no more and still has to be removed from the store.
    private let removals = Mutex<[String]>([])

    init(uid: UInt32, outbox: Outbox, logger: Logger) {
        self.uid = uid
        self.outbox = outbox
        self.logger = logger
    }

    /// Reads once, at the beginning.
    func load() async {
        await turnstile.pass { await catchUp() }
    }

    func add(_ text: String) async throws -> OutboxMessage {
        try await change {
            guard let item = try await outbox.add(text, of: uid) else {
                throw OutboxFull(limit: outbox.unsentLimit)
            }
            let message = OutboxMessage(item)
            tell { $0.append(message) }
            return message
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

    func countAttempt(_ id: String, problem: String?) async throws {
        try await change {
            if let item = try await outbox.countAttempt(id, of: uid, problem: problem) { await show([item]) }
        }
    }

    func finish(_ id: String, _ outcome: DeliveryOutcome) async throws {
        let stored: Outbox.Outcome =
            switch outcome {
            case .sent: .sent
            case .failed(let problem): .failed(problem: problem)
            case .queued(let problem): .queued(problem: problem)
            }
        try await change {
            guard let finished = try await outbox.finish(id, of: uid, stored) else { return }
            await show([finished.item], without: finished.forgotten)
        }
    }

    /// Removes a message: from the snapshot at once, from the store before the next change of it.
    ///
    /// Should somebody have claimed it meanwhile, it is shown again.
    nonisolated func remove(_ id: String) {
        removals.withLock { $0.append(id) }
        tell { messages in messages.removeAll { $0.id == id } }
        Task { await self.load() }
    }

    // MARK: The snapshot

    private func change<Result>(_ body: () async throws -> Result) async throws -> Result {
        try await turnstile.pass {
            await catchUp()
            return try await body()
        }
    }

    /// Reads where nothing was read, and removes what has to be.
    private func catchUp() async {
        if !snapshot.value.isLoaded { await read() }
        let ids = removals.withLock { ids in
            defer { ids = [] }
            return ids
        }
        for id in ids { await removeFromStore(id) }
    }

    private func removeFromStore(_ id: String) async {
        do {
            let isSending = try await outbox.remove(id, of: uid) == .sending
            // Whoever has read the list meanwhile has found it there.
            let isShown = snapshot.value.messages.contains { $0.id == id }
            if isSending != isShown { await read() }
        } catch {
            logger.error("A message cannot be removed", metadata: ["uid": "\(uid)", "error": "\(error)"])
            await read()
        }
    }

    /// Shows items as they are now, and some no more.
    private func show(_ items: [OutboxItem], without forgotten: [String] = []) async {
        let isKnown = tell { messages in
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
        // One that was removed from the snapshot while it was claimed: it has its place in the store only.
        if !isKnown { await read() }
    }

    @discardableResult
    private nonisolated func tell<Outcome: Sendable>(
        _ change: @Sendable (inout [OutboxMessage]) -> Outcome
    ) -> Outcome {
        snapshot.update {
            $0.revision += 1
            return change(&$0.messages)
        }
    }

    private func read() async {
        do {
            let messages = try await outbox.items(of: uid).map { OutboxMessage($0) }
            snapshot.update {
                $0.revision += 1
                $0.isLoaded = true
                $0.messages = messages
            }
        } catch {
            logger.error("The outbox cannot be read", metadata: ["uid": "\(uid)", "error": "\(error)"])
        }
    }
}
