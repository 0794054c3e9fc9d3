import Logging
import ViewModelKit
import ViewModelProtocol

/// The values that outlast sessions: their way from the store, to the sessions and to the store.
extension Host {
    /// Reads the values that outlast the sessions of a user, before the first session of the user.
    ///
    /// Values that cannot be read start fresh. They are read later, and none is stored before. Unless the store is
    /// away, the log has the incident.
    package func prepare(_ uid: UInt32, on executor: (any TaskExecutor)? = nil) async {
        guard let store else { return }
        for area in [ValueArea.daemon, .user(uid)] {
            do {
                if placement == nil, lasting.isUnread(area) {
                    // A store that several machines share tells when it is back.
                    await reread(area, on: executor)
                } else if !lasting.isLoaded(area) {
                    // The order keeps a change of another machine from being read before the values.
                    try await storeQueue.perform(.values(area), on: executor) {
                        self.load(try await store.loadValues(of: area), of: area)
                    }
                }
            } catch {
                if !error.isUnavailableStore { _ = incident(error, in: "loading lasting values", area.metadata) }
                lasting.load(nil, of: area)
            }
        }
    }

    /// Schedules a save of an area, unless one is scheduled.
    ///
    /// After a failure, it is delayed until the failed save is repeated.
    func scheduleSave(_ area: ValueArea, after interval: Duration, on loop: any SessionLoop) {
        guard let delay = lasting.scheduleSave(of: area, after: interval) else { return }
        _ = loop.schedule(after: delay) {
            self.lasting.scheduledSaveBegins(of: area)
            self.save(area, on: loop)
        }
    }

    /// Saves the changed values of an area, after earlier saves.
    ///
    /// The loop runs the work and repeats a failed save; nil for neither. `completion` is called on any thread.
    func save(
        _ area: ValueArea,
        on loop: (any SessionLoop)?,
        completion: @escaping @Sendable (_ failure: ProtocolError?) -> Void = { _ in }
    ) {
        guard let store else { return completion(nil) }
        storeQueue.enqueue(.values(area), on: loop?.taskExecutor) {
            var changes: [LastingChange] = []
            do {
                if self.lasting.isUnread(area) { try await self.adoptStored(area, from: store) }
                changes = self.lasting.takeChanges(of: area)
                let newer = changes.isEmpty ? [:] : try await store.save(changes, of: area)
                self.lasting.saved(changes, newer, of: area)
                if !newer.isEmpty { self.drop(changes, newer, of: area) }
                completion(nil)
            } catch {
                self.lasting.failed(changes, of: area, error)
                if let loop { loop.execute { self.scheduleSave(area, after: .zero, on: loop) } }
                if let error = error as? SavedStateTooLarge {
                    self.logRarely(
                        .warning,
                        """
                        Lasting values are not saved: together they are larger than limits.savedBytesPerSession \
                        (\(error.limit)), which can be raised. A restart restores the values that were saved before
                        """,
                        area.metadata
                    )
                    return completion(nil)
                }
                completion(self.storeError(error, in: "saving lasting values", area.metadata))
            }
        }
    }

    // MARK: Changes of other daemons with the same store

    /// Reads the values of an area again, and passes those that differ to the sessions, in one step each.
    ///
    /// Values that no session uses are read before the first session, so they are left alone. A failure is logged, and
    /// returns false.
    @discardableResult
    package func reread(_ area: ValueArea, on executor: (any TaskExecutor)? = nil) async -> Bool {
        guard let store else { return true }
        do {
            // The queue runs no save of the area meanwhile.
            try await storeQueue.perform(.values(area), on: executor) {
                if self.lasting.isLoaded(area) { try await self.adoptStored(area, from: store) }
            }
            return true
        } catch {
            logStoreFailure("Changed values could not be read", error)
            return false
        }
    }

    /// Takes over the stored values of an area that differ, and passes them to the sessions.
    private func adoptStored(_ area: ValueArea, from store: any Store) async throws {
        adopt(try await store.loadValues(of: area), of: area, isComplete: true)
    }

    /// Takes over stored values, in the form of the present code, which may be another than the stored one.
    ///
    /// They replace `changes`. If another daemon has put a value aside under a name of `changes`, that of this daemon gets
    /// another name.
    private func adopt(
        _ values: [SavedValue.Key: [UInt8]],
        insteadOf changes: [LastingChange] = [],
        of area: ValueArea,
        isComplete: Bool
    ) {
        publish(lasting.adopt(values, of: area, isComplete: isComplete), of: area)
        for change in changes where !change.key.isCounted && values[change.key] != nil {
            guard let text = change.text, !lasting.putAside(text, of: change.key, in: area) else { continue }
            let name = "\(change.key.owner).\(change.key.shownName)"
            let problem = "\(SavedValue.Key.mostAside) values are put aside already, so another one is lost"
            report(unread: name, problem, area.metadata, isReplacing: true)
        }
        guard lasting.unsavedAreas(of: area.uid).contains(area), let loop = directory.living(of: area.uid).first?.loop
        else { return }
        loop.execute { self.scheduleSave(area, after: .zero, on: loop) }
    }

    /// Takes over values that other daemons have saved since this one knew them, and tells the sessions that their own
    /// changes of these values are dropped.
    private func drop(_ changes: [LastingChange], _ newer: [SavedValue.Key: [UInt8]], of area: ValueArea) {
        adopt(newer, insteadOf: changes, of: area, isComplete: false)
        for key in newer.keys where !key.isOfHost {
            logRarely(
                .notice,
                "A value was not saved, because another daemon has saved a newer one",
                ["value": "\(key)"]
            )
            let text = "The change of \(key) was dropped, because another one was saved later"
            for session in directory.living(of: area.uid) { session.run { $0.hint([text], level: .warning) } }
        }
    }

    /// Passes values to the sessions that have them, in one step each.
    func publish(_ values: [LastingValues.Published], of area: ValueArea) {
        guard !values.isEmpty else { return }
        let persistence: Persistence = area == .daemon ? .daemon : .user
        let published = values.map {
            (key: RestorableKey(persistence: persistence, owner: $0.key.owner, name: $0.key.name), $0.text, $0.revision)
        }
        for session in directory.living(of: area.uid) {
            session.loop.execute {
                if !session.core.isEnded { session.core.graph.restorable.adopt(published) }
            }
        }
    }
}
