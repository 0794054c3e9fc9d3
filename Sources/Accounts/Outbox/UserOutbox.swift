import Logging
import ViewModelStore

/// What is known of one user's outbox: read anew after each change, each time after the one before.
actor UserOutbox {
    nonisolated let snapshot = Observed(OutboxSnapshot())
    private let uid: UInt32
    private let outbox: Outbox
    private let logger: Logger
    private var reading: Task<Void, Never>?
    private var waiting: Task<Void, Never>?

    init(uid: UInt32, outbox: Outbox, logger: Logger) {
        self.uid = uid
        self.outbox = outbox
        self.logger = logger
    }

    /// Reads once, at the beginning.
    func load() async {
        if !snapshot.value.isLoaded { await refresh() }
    }

    /// Returns when everything that was done before is in the snapshot; those who wait share one reading.
    func refresh() async {
        if let waiting { return await waiting.value }
        let former = reading
        let task = Task {
            await former?.value
            await self.read()
        }
        waiting = task
        await task.value
    }

    private func read() async {
        // From now on a change may come too late for this reading.
        reading = waiting
        waiting = nil
        do {
            let messages = try await outbox.items(of: uid).map { OutboxMessage($0) }
            snapshot.update {
                guard !$0.isLoaded || $0.messages != messages else { return }
                $0.revision += 1
                $0.isLoaded = true
                $0.messages = messages
            }
        } catch {
            logger.error("The outbox cannot be read", metadata: ["uid": "\(uid)", "error": "\(error)"])
        }
    }
}
