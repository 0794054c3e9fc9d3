import FoundationEssentials
import Logging
import Synchronization
import ViewModelKit
import ViewModelProtocol

/// The saver of a named session: it saves changes within the save interval, and at once before an acknowledgement.
///
/// One save runs at a time. All replies that wait share the next save, which encodes each value once.
///
/// Isolation: confined to the session's loop. The store runs elsewhere.
final class SessionSaver {
    private unowned let core: SessionCore
    private let store: any Store
    private let key: SessionKey
    /// The fence of all writes of this session.
    let fence: SessionFence
    /// What is saved, without the values that were restored.
    var saved: SavedSession
    /// Whether some of the saved values were put aside.
    private(set) var hasAsides: Bool
    /// The values that no cell has and that were set since the last save; nil for an erased one.
    private(set) var written: [SavedValue.Key: [UInt8]?] = [:]
    /// The saved instances that could not be restored, which stay saved.
    var unrestored: [SavedInstance] = []
    /// The number of the last save, and of the last one that the store has answered.
    ///
    /// With the last save of a session that ends, two may be unanswered.
    private var (lastNumber, answered): (Int64, Int64) = (0, 0)
    /// Whether an instance was created, closed or not restored since the last save.
    var instancesChanged = false
    private var timer: (any ScheduledWork)?
    /// Whether the next save contains the changes of the last one, which has failed.
    private var hasFailed = false
    /// The callers that wait for a save, with its number.
    private var waiting: [(number: Int64, body: Completion)] = []
    /// The delay before a failed save is repeated; nil while saves succeed.
    private var retryPause: Duration?
    /// Whether the log has a failure since the last successful save.
    private var isFailureLogged = false
    /// Whether the log says since then that the session exceeds the store's limit.
    private var isSizeLogged = false
    /// Whether the next save contains the whole session, because the store has no part of it.
    private var savesAll: Bool
    /// Whether the last save has begun, after which none is scheduled.
    private var isEnding = false
    /// The error of the last save that was answered; nil after a successful one.
    private var lastFailure: ProtocolError?
    /// Whether the changes of this session are not saved, and its ownership is not released.
    var isDiscarded = false
    /// The calls with a retry key; nil if the session cannot move to another node.
    var retryKeys: SavedRetryKeys?
    /// The time 0 of the loop's clock in seconds by the clock that all nodes share.
    private let dateOfZero: Double

    init(core: SessionCore, store: any Store, key: SessionKey, acquired: AcquiredSession) {
        self.core = core
        self.store = store
        self.key = key
        fence = acquired.fence
        saved = acquired.saved ?? SavedSession()
        hasAsides = saved.values.keys.contains(where: \.isAside)
        savesAll = acquired.saved == nil
        retryKeys = core.host.placement.map { _ in SavedRetryKeys() }
        dateOfZero = (acquired.date ?? core.loop.date.timeIntervalSince1970) - core.loop.now / .seconds(1)
    }

    /// Receives nil after a successful save, or the error of a failed one.
    typealias Completion = (_ failure: ProtocolError?) -> Void

    /// Erases the saved values of a closed instance, so that a new one of the same id does not get them.
    func forget(_ instance: Instance, _ names: [String]) {
        for name in names { written[SavedValue.Key(owner: instance.id, name: name)] = .some(nil) }
        for key in saved.values.keys where key.owner == instance.id { set(nil, key) }
        retryKeys?.forget(instance: instance.id)
        if instance.isSaved { instancesChanged = true }
    }

    /// Erases the saved instances that an instance has opened and that could not be restored, and returns their ids.
    ///
    /// Those that they have opened are among them.
    func forgetUnrestored(openedBy opener: String) -> [String] {
        let opened = unrestored.map(\.id).filter { saved.values[.opener(of: $0)] == SavedInstance.text(opener: opener) }
        guard !opened.isEmpty else { return [] }
        unrestored.removeAll { opened.contains($0.id) }
        instancesChanged = true
        for id in opened {
            for key in saved.values.keys where key.owner == id || key.owner.hasPrefix("\(id).") { set(nil, key) }
            retryKeys?.forget(instance: id)
        }
        return opened + opened.flatMap(forgetUnrestored)
    }

    /// Gives the saved openers of instances the present id of a default instance, whose type had another name.
    func renameOpener(_ former: String, to id: String) {
        let text = SavedInstance.text(opener: former)
        for (key, opener) in saved.values where opener == text && key == .opener(of: key.owner) {
            set(SavedInstance.text(opener: id), key)
        }
    }

    /// Keeps the text of a key under another name, unless it is kept so already.
    ///
    /// - Returns: false if as many texts as possible are kept under the name.
    func putAside(_ text: [UInt8], of key: SavedValue.Key) -> Bool {
        guard let aside = key.aside(for: text, { saved.values[$0] }) else { return false }
        set(text, aside)
        return true
    }

    /// Sets a saved value that no cell has, or erases it.
    func set(_ text: [UInt8]?, _ key: SavedValue.Key) {
        hasAsides = hasAsides || key.isAside
        saved.values[key] = text
        written[key] = .some(text)
    }

    /// The seconds by the clock that all nodes share; a step of this machine's clock does not change it.
    var date: Double { dateOfZero + core.loop.now / .seconds(1) }

    private var isSaving: Bool { answered < lastNumber }

    /// Schedules a save if the step has changed saved values or instances.
    func stepEnded() {
        guard !isEnding, hasChanges, timer == nil, !isSaving else { return }
        let interval = Duration.milliseconds(core.host.configuration.session.saveIntervalMilliseconds)
        let session = core.session
        timer = core.loop.schedule(after: retryPause ?? interval) {
            session?.run { core in core.saver?.save() }
        }
    }

    /// Calls `body` when all changes so far are saved, or when the save has failed.
    ///
    /// Without unsaved changes it calls `body` at once. If another node owns the session, `body` gets -32800.
    func whenSaved(_ body: @escaping Completion) {
        if isDiscarded { return body(.cancelled) }
        let isLast = core.isEnded || !hasChanges
        if isLast, !isSaving { return body(lastFailure) }
        waiting.append((isLast ? lastNumber : lastNumber + 1, body))
        if !core.isEnded { save() }
    }

    /// Calls `body` after the callers that wait for a save were answered, or at once if none waits.
    func whenCallersAreAnswered(_ body: @escaping () -> Void) {
        if waiting.isEmpty { return body() }
        whenSaved { _ in body() }
    }

    /// Passes the changes to the store.
    ///
    /// During a save it does nothing, because the next save follows that one.
    func save() {
        if !isSaving { enqueue() }
    }

    /// Saves the last changes of a session that ends, after a save that may be running.
    ///
    /// Then another node can claim the session.
    func saveLast() {
        isEnding = true
        enqueue()
        if !isDiscarded { core.host.release(key, under: fence, on: core.loop) }
    }

    /// Saves nothing more, because another node owns the session, or its saved state is erased.
    ///
    /// Callers that wait for a save get -32800.
    func abandon() {
        isDiscarded = true
        answer(upTo: .max, .cancelled)
    }

    private func enqueue() {
        core.graph.prepareToSave()
        timer?.cancel()
        timer = nil
        guard hasChanges, let session = core.session else { return }
        let (changes, store) = (takeChanges(), store)
        core.host.storeQueue.enqueue(.session(key), on: core.loop.taskExecutor) {
            let all = session.unsaved.withLock { $0.take() }.map { changes.following($0) } ?? changes
            var failure: (any Error)?
            do {
                try await store.save(all)
            } catch {
                session.unsaved.withLock { $0 = all }
                failure = error
            }
            session.run { [failure] core in core.saver?.storeAnswered(changes.number, failure) }
        }
    }

    private var hasChanges: Bool {
        guard !isDiscarded else { return false }
        return hasFailed || instancesChanged || core.graph.restorable.hasChanges || !written.isEmpty
            || retryKeys?.hasChanges ?? false
    }

    private func takeChanges() -> SessionChanges {
        lastNumber += 1
        var changes = SessionChanges(key: key, fence: fence, number: lastNumber, isComplete: savesAll)
        if savesAll { changes.living = core.host.directory.living(of: key.uid).compactMap(\.name) }
        if instancesChanged {
            instancesChanged = false
            changes.instances = core.instances.filter { $0.isSaved }.map { instance in
                SavedInstance(id: instance.id, type: instance.type.name, arguments: instance.arguments)
            }
            changes.instances? += unrestored.filter { core.instancesByID.find($0.id) == nil }
        }
        changes.values = core.graph.restorable.takeChanges().map { SavedValue(key: $0.key.saved, text: $0.text) }
        changes.values += retryKeys?.takeChanges() ?? []
        if savesAll { for (key, text) in saved.values { written[key] = .some(text) } }
        let present = Set(changes.values.map(\.key))
        changes.values += written.filter { !present.contains($0.key) }.map { SavedValue(key: $0, text: $1) }
        written = [:]
        return changes
    }

    private func storeAnswered(_ number: Int64, _ error: (any Error)?) {
        answered = number
        hasFailed = error != nil
        if error is SessionForgotten, !savesAll, !core.isEnded {
            // The store erased the session to stay within its limit, but the session is in use.
            savesAll = true
            instancesChanged = true
            core.graph.restorable.markAllChanged()
            return save()
        }
        if let moved = error as? SessionMoved { return core.lost(under: fence, to: moved.node) }
        if error == nil { succeeded() }
        lastFailure = error.flatMap(failed)
        answer(upTo: number, lastFailure)
        // An ended session is not saved again, because a later session may have the same name by now.
        if !core.isEnded, hasChanges, !waiting.isEmpty { return save() }
        // No later save answers the other callers.
        if !isSaving { answer(upTo: .max, lastFailure) }
        stepEnded()
    }

    /// Answers the callers that wait for saves up to a number.
    private func answer(upTo number: Int64, _ failure: ProtocolError?) {
        let callers = waiting.filter { $0.number <= number }
        waiting.removeAll { $0.number <= number }
        for caller in callers { caller.body(failure) }
    }

    private func succeeded() {
        if isFailureLogged { core.host.logger.notice("A session can be saved again", metadata: core.metadata) }
        isFailureLogged = false
        isSizeLogged = false
        retryPause = nil
        savesAll = false
    }

    /// Returns the error for the completions of a failed save; nil for a session over its limit, which is not saved at all.
    private func failed(_ error: any Error) -> ProtocolError? {
        retryPause = .beforeNextSave(after: error, retryPause)
        if !error.isUnavailableStore { isFailureLogged = true }
        if let error = error as? SavedStateTooLarge {
            guard !isSizeLogged else { return nil }
            isSizeLogged = true
            core.host.logger.warning(
                """
                The session is not saved: its state is larger than limits.savedBytesPerSession (\(error.limit)), which can \
                be raised. A restart restores the state that was saved before
                """,
                metadata: core.metadata
            )
            return nil
        }
        return core.host.storeError(error, in: "saving a session", core.metadata)
    }
}
