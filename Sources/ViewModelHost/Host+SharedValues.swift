import Logging
import ViewModelKit

/// The values that other daemons with the same store have changed.
extension Host {
    /// Reads the values of an area again, and passes those that differ to the sessions, in one step each.
    ///
    /// Values that no session uses are read before the first session, so they are left alone. A failure is logged.
    ///
    /// - Parameters:
    ///   - area: the owner of the values.
    ///   - executor: the executor of the work; nil for Swift's global one.
    /// - Returns: Whether they could be read.
    @discardableResult
    package func reread(_ area: ValueArea, on executor: (any TaskExecutor)? = nil) async -> Bool {
        guard let store else { return true }
        return await withCheckedContinuation { continuation in
            // The queue runs no save of the area meanwhile.
            storeQueue.enqueue(.values(area), on: executor) {
                guard self.lasting.isLoaded(area) else { return continuation.resume(returning: true) }
                do {
                    try await self.adoptStored(area, from: store)
                    continuation.resume(returning: true)
                } catch {
                    self.logStoreFailure("Changed values could not be read", error)
                    continuation.resume(returning: false)
                }
            }
        }
    }

    /// Takes over the stored values of an area that differ, and passes them to the sessions.
    func adoptStored(_ area: ValueArea, from store: any Store) async throws {
        publish(lasting.adopt(try await store.loadValues(of: area), of: area), of: area)
    }

    /// Takes over values that other daemons have saved since this one knew them, and tells the sessions that their own
    /// changes of these values are dropped.
    func drop(_ newer: [SavedValue.Key: [UInt8]], of area: ValueArea) {
        publish(lasting.adopt(newer, of: area), of: area)
        for key in newer.keys {
            let value = key.owner.isEmpty ? key.name : "\(key.owner).\(key.name)"
            logRarely(
                .notice,
                "A value was not saved, because another daemon has saved a newer one",
                ["value": "\(value)"]
            )
            let text = "The change of \(value) was dropped, because another one was saved later"
            for session in living.all(having: area) { session.run { $0.hint([text], level: .warning) } }
        }
    }

    private func publish(_ values: [(key: SavedValue.Key, text: [UInt8], revision: Int)], of area: ValueArea) {
        guard !values.isEmpty else { return }
        for session in living.all(having: area) {
            session.loop.execute {
                let core = session.core
                guard !core.isEnded else { return }
                core.graph.step {
                    for value in values {
                        let key = LastingKey(
                            isOfDaemon: area == .daemon,
                            owner: value.key.owner,
                            name: value.key.name
                        )
                        core.graph.lasting.adopt(value.text, as: key, revision: value.revision)
                    }
                }
            }
        }
    }
}
