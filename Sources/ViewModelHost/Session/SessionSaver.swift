import Logging
import ViewModelKit

/// The saver of a named session: it saves changes within the save interval, and at once before an acknowledgement.
///
/// One save runs at a time. All replies that wait share the next save, which encodes each value once.
///
/// Isolation: confined to the session's loop. The store runs elsewhere.
final class SessionSaver {
    private unowned let core: SessionCore
    private let store: any Store
    private let key: SessionKey
    private var saved: SavedSession
    private var instancesChanged = false
    private var erased: Set<SavedValue.Key> = []
    private var timer: (any ScheduledWork)?
    /// The changes that the store has not confirmed.
    private var underway: SessionChanges?
    /// The completions of the current save, and those of the next one.
    private var waiting: [Completion] = []
    private var waitingForNext: [Completion] = []
    /// The delay before a failed save is repeated; nil while saves succeed.
    private var retryPause: Duration?
    /// Whether the next save contains the whole session, because the store has no part of it.
    private var savesAll: Bool
    /// Whether the session exceeds the store's limit.
    ///
    /// The log reports this once.
    private var isTooLarge = false
    /// Whether the last save has begun, after which none is scheduled.
    private var isEnding = false
    private(set) lazy var savedState = SavedStateRegistry { [unowned self] owner, name in
        saved.values.removeValue(forKey: SavedValue.Key(owner: owner, name: name))
    }

    init(core: SessionCore, store: any Store, key: SessionKey, saved: SavedSession?) {
        self.core = core
        self.store = store
        self.key = key
        self.saved = saved ?? SavedSession()
        savesAll = saved == nil
    }

    /// Receives nil after a successful save, or the incident of a failed one.
    typealias Completion = (_ incident: String?) -> Void

    /// The saved instances in the order of their creation.
    var savedInstances: [SavedInstance] { saved.instances }

    /// Whether the saved session is empty.
    var isEmpty: Bool { saved.instances.isEmpty && saved.values.isEmpty }

    /// Records that an instance was created or closed.
    func markInstancesChanged() {
        instancesChanged = true
    }

    /// Erases the saved values of a closed instance, so that a new one of the same id does not get them.
    func forget(_ instance: Instance) {
        for name in savedState.forget(instance.id) {
            erased.insert(SavedValue.Key(owner: instance.id, name: name))
        }
        if instance.isSaved { instancesChanged = true }
    }

    /// Clears the changes that restoring has made, because they are saved already.
    func beginAfterRestoring() {
        instancesChanged = false
    }

    /// Schedules a save if the step has changed saved values or instances.
    func stepEnded() {
        guard !isEnding, hasChanges, timer == nil, underway == nil else { return }
        let interval = Duration.milliseconds(core.host.configuration.saveIntervalMilliseconds)
        let session = core.session
        timer = core.loop.schedule(after: retryPause ?? interval) {
            session?.run { core in core.saver?.save() }
        }
    }

    /// Calls `body` when all changes so far are saved, or when the save has failed.
    ///
    /// Without unsaved changes it calls `body` at once.
    func whenSaved(_ body: @escaping Completion) {
        if core.isEnded || (underway == nil && !hasChanges) { return body(nil) }
        // A session over its limit is not saved, so replies do not wait. The timer retries now and then.
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

    /// Passes the changes to the store.
    ///
    /// During a save it does nothing, because the next save follows that one.
    func save() {
        guard underway == nil else { return }
        core.graph.prepareToSave()
        timer?.cancel()
        timer = nil
        guard hasChanges, let session = core.session else { return }
        let changes = takeChanges()
        underway = changes
        waiting = waitingForNext
        waitingForNext = []
        enqueue(changes, to: session)
    }

    /// Saves the last changes of a session that ends, after a save that may be running.
    func saveLast() {
        isEnding = true
        core.graph.prepareToSave()
        timer?.cancel()
        timer = nil
        guard underway != nil else { return save() }
        guard hasChanges, core.session != nil else { return }
        let changes = takeChanges()
        let bodies = waitingForNext
        waitingForNext = []
        let confined = LoopConfined(bodies, on: core.loop)
        let (store, host, facts) = (store, core.host, metadata)
        core.host.storeQueue.enqueue(.session(key), on: core.loop.taskExecutor) {
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

    private func enqueue(_ changes: SessionChanges, to session: Session) {
        let store = store
        core.host.storeQueue.enqueue(.session(key), on: core.loop.taskExecutor) {
            do {
                try await store.save(changes)
                session.run { core in core.saver?.storeAnswered(nil) }
            } catch {
                session.run { core in core.saver?.storeAnswered(error) }
            }
        }
    }

    private var hasChanges: Bool { instancesChanged || savedState.hasChanges || !erased.isEmpty }

    private func takeChanges() -> SessionChanges {
        var changes = SessionChanges(key: key, isComplete: savesAll)
        if instancesChanged {
            instancesChanged = false
            changes.instances = core.instances.all.filter { $0.isSaved }.map { instance in
                SavedInstance(id: instance.id, type: instance.type.name, arguments: instance.arguments)
            }
        }
        let values = savedState.takeChanges { [core] owner, name, error in
            _ = core.incident(error, in: "encoding what is saved of \(owner).\(name)")
        }
        changes.values = values.map { change in
            SavedValue(key: .init(owner: change.owner, name: change.name), text: change.text)
        }
        let present = Set(changes.values.map(\.key))
        changes.values += erased.subtracting(present).map { SavedValue(key: $0, text: nil) }
        erased = []
        return changes
    }

    private func storeAnswered(_ error: (any Error)?) {
        guard let changes = underway.take() else { return }
        if error is SessionForgotten, !savesAll, !core.isEnded { return saveAllAgain() }
        var incident: String?
        if let error { incident = keepForNextSave(changes, after: error) } else { succeeded() }
        let bodies = waiting
        waiting = []
        for body in bodies { body(incident) }
        // An ended session is not saved again, because a later session may have the same name by now.
        if !core.isEnded, hasChanges, !waitingForNext.isEmpty { return save() }
        let rest = waitingForNext
        waitingForNext = []
        for body in rest { body(incident) }
        stepEnded()
    }

    /// Saves the whole session again.
    ///
    /// The store erased it to stay within its limit, but the session is in use.
    private func saveAllAgain() {
        savesAll = true
        instancesChanged = true
        savedState.markAllChanged()
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

    /// Keeps the changes of a failed save for the next one.
    ///
    /// - Returns: The incident for the completions; nil for a session over its limit, which is not saved at all.
    private func keepForNextSave(_ changes: SessionChanges, after error: any Error) -> String? {
        if changes.instances != nil { instancesChanged = true }
        erased.formUnion(changes.values.filter { $0.text == nil }.map(\.key))
        savedState.markChanged(again: changes.values.map { ($0.key.owner, $0.key.name) })
        retryPause = .beforeNextSave(after: retryPause)
        if error is SessionTooLarge {
            if !isTooLarge { core.host.logger.warning("\(error)", metadata: metadata) }
            isTooLarge = true
            return nil
        }
        return core.incident(error, in: "saving a session")
    }

    private var metadata: Logger.Metadata { ["session": "\(key.name)", "uid": "\(key.uid)"] }
}
