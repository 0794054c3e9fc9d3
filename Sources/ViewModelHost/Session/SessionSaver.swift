import Logging
import ViewModelKit

/// Saves what outlasts a named session: within the save interval of a change, at once for what is acknowledged.
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
    /// Saves that the store has not confirmed yet.
    private var underway = 0
    private var waiting: [() -> Void] = []
    private(set) lazy var restoring = Restoring { [unowned self] owner, name in
        saved.values.removeValue(forKey: SavedValue.Place(owner: owner, name: name))
    }

    init(core: SessionCore, store: any Store, key: SessionKey, loop: any SessionLoop, saved: SavedSession?) {
        self.core = core
        self.store = store
        self.key = key
        self.loop = loop
        self.saved = saved ?? SavedSession()
    }

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
        guard hasChanges, timer == nil else { return }
        let interval = Duration.milliseconds(core.host.configuration.saveIntervalMilliseconds)
        let session = core.session
        timer = loop.schedule(after: interval) {
            session?.run { core in core.saver?.save() }
        }
    }

    /// Runs `body` when everything so far would outlast the daemon: at once, if it does already.
    func whenSaved(_ body: @escaping () -> Void) {
        save()
        if underway == 0 {
            body()
        } else {
            waiting.append(body)
        }
    }

    /// Hands over to the store what changed.
    func save() {
        timer?.cancel()
        timer = nil
        guard hasChanges, let session = core.session else { return }
        let changes: SessionChanges
        do {
            changes = try takeChanges()
        } catch {
            _ = core.incident(error, in: "encoding what is saved")
            return
        }
        underway += 1
        let (store, host) = (store, core.host)
        host.storeQueue.enqueue(key, on: loop.taskExecutor) {
            var failure: (any Error)?
            do {
                try await store.save(changes)
            } catch {
                failure = error
                host.logger.error(
                    "A session could not be saved",
                    metadata: ["session": "\(changes.key.name)", "uid": "\(changes.key.uid)", "error": "\(error)"]
                )
            }
            let isLost = failure != nil
            session.run { core in core.saver?.storeAnswered(changes, isLost: isLost) }
        }
    }

    private var hasChanges: Bool { instancesChanged || restoring.hasChanges || !erased.isEmpty }

    private func takeChanges() throws -> SessionChanges {
        var changes = SessionChanges(key: key)
        if instancesChanged {
            instancesChanged = false
            changes.instances = core.instances.all.filter { $0.isSaved }.map { instance in
                SavedInstance(id: instance.id, type: instance.type.name, arguments: instance.arguments)
            }
        }
        changes.values = try restoring.takeChanges().map { change in
            SavedValue(place: .init(owner: change.owner, name: change.name), text: change.text)
        }
        let present = Set(changes.values.map(\.place))
        changes.values += erased.subtracting(present).map { SavedValue(place: $0, text: nil) }
        erased = []
        return changes
    }

    private func storeAnswered(_ changes: SessionChanges, isLost: Bool) {
        underway -= 1
        if isLost {
            if changes.instances != nil { instancesChanged = true }
            erased.formUnion(changes.values.filter { $0.text == nil }.map(\.place))
            restoring.changesWereLost(changes.values.map { ($0.place.owner, $0.place.name) })
            stepEnded()
        }
        guard underway == 0 else { return }
        let bodies = waiting
        waiting = []
        for body in bodies { body() }
    }
}
