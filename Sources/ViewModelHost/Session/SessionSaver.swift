import Logging
import ViewModelKit

/// Saves what outlasts a named session: within the save interval of a change, at once for what is acknowledged.
///
/// One save is under way at a time. Replies that wait for a save share the next one, for which values are encoded once.
///
/// Isolation: confined to the session's loop; the store is waited for elsewhere.
final class SessionSaver {
    private unowned let core: SessionCore
    private let store: any Store
    private let key: SessionKey
    private let loop: any SessionLoop
    private var saved: SavedSession
    private var instancesChanged = false
    private var erased: Set<SavedValue.Place> = []
    private var timer: (any ScheduledWork)?
    /// The changes that the store has not confirmed yet.
    private var underway: SessionChanges?
    /// What waits for the save that is under way, and what waits for the one after it.
    private var waiting: [Completion] = []
    private var waitingForNext: [Completion] = []
    /// The pause before a failed save is tried again; nil while saves succeed.
    private var retryPause: Duration?
    /// Whether the next save holds all of the session: the store has nothing of it.
    private var savesAll: Bool
    /// Whether the session is larger than the store keeps, which the log says once.
    private var isTooLarge = false
    private(set) lazy var restoring = SavedStateRegistry { [unowned self] owner, name in
        saved.values.removeValue(forKey: SavedValue.Place(owner: owner, name: name))
    }

    init(core: SessionCore, store: any Store, key: SessionKey, loop: any SessionLoop, saved: SavedSession?) {
        self.core = core
        self.store = store
        self.key = key
        self.loop = loop
        self.saved = saved ?? SavedSession()
        savesAll = saved == nil
    }

    /// Called with the incident of a failed save, nil after one that succeeded.
    typealias Completion = (_ incident: String?) -> Void

    /// The instances that were saved, in the order of their making.
    var savedInstances: [SavedInstance] { saved.instances }

    /// Whether nothing was saved.
    var isEmpty: Bool { saved.instances.isEmpty && saved.values.isEmpty }

    /// Takes note that an instance came or went.
    func noteInstances() {
        instancesChanged = true
    }

    /// An instance is no more, and what was saved of it must not come back with another of the same id.
    func forget(_ instance: Instance) {
        for name in restoring.forget(instance.id) {
            erased.insert(SavedValue.Place(owner: instance.id, name: name))
        }
        if instance.isSaved { instancesChanged = true }
    }

    /// All that was changed by restoring is what is saved already.
    func beginAfterRestoring() {
        instancesChanged = false
    }

    /// A step has ended; sees to it that what it changed is saved in time.
    func stepEnded() {
        guard hasChanges, timer == nil, underway == nil else { return }
        let interval = Duration.milliseconds(core.host.configuration.saveIntervalMilliseconds)
        let session = core.session
        timer = loop.schedule(after: retryPause ?? interval) {
            session?.run { core in core.saver?.save() }
        }
    }

    /// Runs `body` when everything so far would outlast the daemon, or cannot be saved: at once, if it does already.
    func whenSaved(_ body: @escaping Completion) {
        if core.isEnded || (underway == nil && !hasChanges) { return body(nil) }
        // Encoding it all for each reply would be in vain; now and then the timer tries.
        if isTooLarge {
            stepEnded()
            return body(nil)
        }
        if hasChanges {
            waitingForNext.append(body)
        } else {
            waiting.append(body)
        }
        save()
    }

    /// Hands over to the store what changed, unless a save is under way, which is followed by the next.
    func save() {
        guard underway == nil else { return }
        timer?.cancel()
        timer = nil
        guard hasChanges, let session = core.session else { return }
        let changes = takeChanges()
        underway = changes
        waiting = waitingForNext
        waitingForNext = []
        hand(changes, to: session)
    }

    /// Saves what the session leaves behind when it ends, also behind a save that is under way.
    func saveLast() {
        timer?.cancel()
        timer = nil
        guard underway != nil else { return save() }
        guard hasChanges, core.session != nil else { return }
        let changes = takeChanges()
        let bodies = waitingForNext
        waitingForNext = []
        let confined = LoopConfined(bodies, on: loop)
        let (store, host, facts) = (store, core.host, metadata)
        core.host.storeQueue.enqueue(key, on: loop.taskExecutor) {
            var incident: String?
            do {
                try await store.save(changes)
            } catch {
                incident = host.incident(error, in: "saving a session", facts)
            }
            confined.run { [incident] bodies in
                for body in bodies { body(incident) }
            }
        }
    }

    private func hand(_ changes: SessionChanges, to session: Session) {
        let store = store
        core.host.storeQueue.enqueue(key, on: loop.taskExecutor) {
            do {
                try await store.save(changes)
                session.run { core in core.saver?.storeAnswered(nil) }
            } catch {
                session.run { core in core.saver?.storeAnswered(error) }
            }
        }
    }

    private var hasChanges: Bool { instancesChanged || restoring.hasChanges || !erased.isEmpty }

    private func takeChanges() -> SessionChanges {
        var changes = SessionChanges(key: key, isComplete: savesAll)
        if instancesChanged {
            instancesChanged = false
            changes.instances = core.instances.all.filter { $0.isSaved }.map { instance in
                SavedInstance(id: instance.id, type: instance.type.name, arguments: instance.arguments)
            }
        }
        let values = restoring.takeChanges { [core] owner, name, error in
            _ = core.incident(error, in: "encoding what is saved of \(owner).\(name)")
        }
        changes.values = values.map { change in
            SavedValue(place: .init(owner: change.owner, name: change.name), text: change.text)
        }
        let present = Set(changes.values.map(\.place))
        changes.values += erased.subtracting(present).map { SavedValue(place: $0, text: nil) }
        erased = []
        return changes
    }

    private func storeAnswered(_ error: (any Error)?) {
        guard let changes = underway.take() else { return }
        if error is SessionForgotten, !savesAll, !core.isEnded { return saveAllAgain() }
        var incident: String?
        if let error { incident = lost(changes, because: error) } else { succeeded() }
        let bodies = waiting
        waiting = []
        for body in bodies { body(incident) }
        // A session that has ended is not saved again: its values may be another life's by now.
        if !core.isEnded, hasChanges, !waitingForNext.isEmpty { return save() }
        let rest = waitingForNext
        waitingForNext = []
        for body in rest { body(incident) }
        if !core.isEnded { stepEnded() }
    }

    /// Saves all of the session: the store has made bounded for others, but this one is in use.
    private func saveAllAgain() {
        savesAll = true
        instancesChanged = true
        restoring.allWasLost()
        waitingForNext = waiting + waitingForNext
        waiting = []
        save()
    }

    private func succeeded() {
        if retryPause != nil {
            core.host.logger.notice("A session can be saved again", metadata: metadata)
            retryPause = nil
        }
        isTooLarge = false
        savesAll = false
    }

    /// Keeps what could not be saved for the next save.
    ///
    /// - Returns: the incident for those who wait; nil for a session over its bound, which is not saved at all.
    private func lost(_ changes: SessionChanges, because error: any Error) -> String? {
        if changes.instances != nil { instancesChanged = true }
        erased.formUnion(changes.values.filter { $0.text == nil }.map(\.place))
        restoring.changesWereLost(changes.values.map { ($0.place.owner, $0.place.name) })
        retryPause = min((retryPause ?? .milliseconds(500)) * 2, .seconds(60))
        if error is SessionTooLarge {
            if !isTooLarge { core.host.logger.warning("\(error)", metadata: metadata) }
            isTooLarge = true
            return nil
        }
        return core.incident(error, in: "saving a session")
    }

    private var metadata: Logger.Metadata { ["session": "\(key.name)", "uid": "\(key.uid)"] }
}
