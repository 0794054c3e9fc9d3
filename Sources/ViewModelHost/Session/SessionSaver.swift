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
    private var saved: SavedSession
    /// The number of the last save.
    private var lastNumber: Int64 = 0
    private var instancesChanged = false
    private var erased: Set<SavedValue.Key> = []
    private var timer: (any ScheduledWork)?
    /// The changes that the store has not confirmed.
    private var underway: SessionChanges?
    private let outcome = SaveOutcome()
    /// The completions of the current save, and those of the next one.
    private var waiting: [Completion] = []
    private var waitingForNext: [Completion] = []
    /// The delay before a failed save is repeated; nil while saves succeed.
    private var retryPause: Duration?
    /// Whether the log has a failure since the last successful save.
    private var isFailureLogged = false
    /// Whether the next save contains the whole session, because the store has no part of it.
    private var savesAll: Bool
    /// Whether the session exceeds the store's limit.
    ///
    /// The log reports this once.
    private var isTooLarge = false
    /// Whether the last save has begun, after which none is scheduled.
    private var isEnding = false
    /// Whether the last changes are saved after the current save.
    private var savesLastChanges = false
    /// The error of the last save of a session that has ended; nil after a successful one.
    private var lastFailure: ProtocolError?
    /// Whether the changes of this session are not saved, and its ownership is not released.
    private var isDiscarded = false
    /// The calls with a retry key; nil if the session cannot move to another node.
    private var retryKeys: SavedRetryKeys?
    /// The time 0 of the loop's clock in seconds by the clock that all nodes share.
    private let dateOfZero: Double
    private(set) lazy var savedState = SavedStateRegistry { [unowned self] owner, name in
        saved.values.removeValue(forKey: SavedValue.Key(owner: owner, name: name))
    }

    init(core: SessionCore, store: any Store, key: SessionKey, acquired: AcquiredSession) {
        self.core = core
        self.store = store
        self.key = key
        fence = acquired.fence
        saved = acquired.saved ?? SavedSession()
        savesAll = acquired.saved == nil
        isContinued = !saved.instances.isEmpty || !saved.values.isEmpty
        retryKeys = core.host.placement.map { _ in SavedRetryKeys() }
        dateOfZero = (acquired.date ?? core.loop.date.timeIntervalSince1970) - core.loop.now / .seconds(1)
    }

    /// Receives nil after a successful save, or the error of a failed one.
    typealias Completion = (_ failure: ProtocolError?) -> Void

    /// The saved instances in the order of their creation.
    var savedInstances: [SavedInstance] { saved.instances }

    /// Whether something of a former life of the session was loaded.
    let isContinued: Bool

    /// Records that an instance was created, closed or not restored.
    func markInstancesChanged() {
        instancesChanged = true
    }

    /// Erases the saved values of a closed instance, so that a new one of the same id does not get them.
    func forget(_ instance: Instance, _ names: [String]) {
        for name in names { erased.insert(SavedValue.Key(owner: instance.id, name: name)) }
        retryKeys?.forget(instance: instance.id)
        if instance.isSaved { instancesChanged = true }
    }

    /// The seconds by the clock that all nodes share; a step of this machine's clock does not change it.
    private var date: Double { dateOfZero + core.loop.now / .seconds(1) }

    /// Whether calls with a retry key are saved.
    var savesRetryKeys: Bool { retryKeys != nil }

    /// Saves a call with a retry key together with its effects.
    ///
    /// - Parameters:
    ///   - call: the retry key and the digest of the params.
    ///   - outcome: the outcome; nil for an input.
    ///   - member: the action or input.
    func remember(_ call: KeyedCall, _ outcome: ActionOutcome?, of member: KeyedMember) {
        retryKeys?.add(call, outcome, of: member, at: date)
    }

    /// Takes the saved calls of an instance that is being created.
    func takeCalls(of instance: String) -> [RestoredCall] {
        let digestKey = core.host.placement?.digestKey ?? []
        return retryKeys?.restore(instance, from: &saved.values, digestKey: digestKey, at: date) ?? []
    }

    /// Clears the changes that restoring has made, because they are saved already.
    func beginAfterRestoring() {
        instancesChanged = false
    }

    /// Saves nothing of this session: it has failed while it was restored, and what is saved stays as it is.
    func discardChanges() {
        isDiscarded = true
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
    /// Without unsaved changes it calls `body` at once. If another node owns the session, `body` gets -32800.
    func whenSaved(_ body: @escaping Completion) {
        if isDiscarded { return body(.cancelled) }
        if core.isEnded {
            if underway == nil, !savesLastChanges { return body(lastFailure) }
            return waitingForNext.append(body)
        }
        if underway == nil, !hasChanges { return body(nil) }
        if hasChanges {
            waitingForNext.append(body)
        } else {
            waiting.append(body)
        }
        save()
    }

    /// Calls `body` after the callers that wait for a save were answered, or at once if none waits.
    func whenCallersAreAnswered(_ body: @escaping () -> Void) {
        if waiting.isEmpty, waitingForNext.isEmpty { return body() }
        whenSaved { _ in body() }
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
        guard let underway else { return save() }
        guard hasChanges, let session = core.session else { return }
        savesLastChanges = true
        let changes = takeChanges()
        let (store, host, facts, outcome) = (store, core.host, metadata, outcome)
        host.storeQueue.enqueue(.session(key), on: core.loop.taskExecutor) {
            var failure: ProtocolError?
            do {
                try await store.save(outcome.hasFailed ? changes.following(underway) : changes)
            } catch {
                failure = host.storeError(error, in: "saving a session", facts)
            }
            session.run { [failure] core in core.saver?.lastChangesEnded(failure) }
        }
    }

    private func lastChangesEnded(_ failure: ProtocolError?) {
        savesLastChanges = false
        lastFailure = failure
        answerRest(failure)
    }

    /// Ends the ownership of the session after the last save, so that another node can claim it.
    func release() {
        guard !isDiscarded else { return }
        core.host.release(key, under: fence, on: core.loop)
    }

    /// Saves nothing more, because another node owns the session, or its saved state is erased.
    ///
    /// Callers that wait for a save get -32800.
    func abandon() {
        isDiscarded = true
        let bodies = waiting + waitingForNext
        waiting = []
        waitingForNext = []
        for body in bodies { body(.cancelled) }
    }

    private func enqueue(_ changes: SessionChanges, to session: Session) {
        let (store, outcome) = (store, outcome)
        core.host.storeQueue.enqueue(.session(key), on: core.loop.taskExecutor) {
            do {
                try await store.save(changes)
                outcome.hasFailed = false
                session.run { core in core.saver?.storeAnswered(nil) }
            } catch {
                outcome.hasFailed = true
                session.run { core in core.saver?.storeAnswered(error) }
            }
        }
    }

    private var hasChanges: Bool {
        !isDiscarded && (instancesChanged || savedState.hasChanges || !erased.isEmpty || retryKeys?.hasChanges ?? false)
    }

    private func takeChanges() -> SessionChanges {
        lastNumber += 1
        var changes = SessionChanges(key: key, fence: fence, number: lastNumber, isComplete: savesAll)
        if savesAll { changes.living = core.host.directory.all(of: key.uid).compactMap(\.name) }
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
        changes.values += retryKeys?.takeChanges() ?? []
        let present = Set(changes.values.map(\.key))
        changes.values += erased.subtracting(present).map { SavedValue(key: $0, text: nil) }
        erased = []
        return changes
    }

    private func storeAnswered(_ error: (any Error)?) {
        guard let changes = underway.take() else { return }
        if error is SessionForgotten, !savesAll, !core.isEnded { return saveAllAgain() }
        if let moved = error as? SessionMoved { return core.lost(under: fence, to: moved.node) }
        var failure: ProtocolError?
        if let error { failure = keepForNextSave(changes, after: error) } else { succeeded() }
        let bodies = waiting
        waiting = []
        for body in bodies { body(failure) }
        // An ended session is not saved again, because a later session may have the same name by now.
        if !core.isEnded, hasChanges, !waitingForNext.isEmpty { return save() }
        lastFailure = failure
        if underway == nil, !savesLastChanges { answerRest(failure) }
        stepEnded()
    }

    /// Completes the callers that no later save answers.
    private func answerRest(_ failure: ProtocolError?) {
        let rest = waitingForNext
        waitingForNext = []
        for body in rest { body(failure) }
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
        if isFailureLogged { core.host.logger.notice("A session can be saved again", metadata: metadata) }
        isFailureLogged = false
        retryPause = nil
        isTooLarge = false
        savesAll = false
    }

    /// Keeps the changes of a failed save for the next one.
    ///
    /// - Returns: The error for the completions; nil for a session over its limit, which is not saved at all.
    private func keepForNextSave(_ changes: SessionChanges, after error: any Error) -> ProtocolError? {
        if changes.instances != nil { instancesChanged = true }
        erased.formUnion(changes.values.filter { $0.text == nil }.map(\.key))
        retryKeys?.takeBack(changes.values)
        savedState.markChanged(again: changes.values.map { ($0.key.owner, $0.key.name) })
        retryPause = .beforeNextSave(after: error, retryPause)
        if !(error is StoreUnavailable) { isFailureLogged = true }
        if error is SessionTooLarge {
            if !isTooLarge { core.host.logger.warning("\(error)", metadata: metadata) }
            isTooLarge = true
            return nil
        }
        return core.host.storeError(error, in: "saving a session", metadata)
    }

    private var metadata: Logger.Metadata { ["session": "\(key.name)", "uid": "\(key.uid)"] }
}

/// The outcome of the newest save of a session, for the next one in the store's queue.
private final class SaveOutcome: Sendable {
    private let failed = Atomic(false)

    var hasFailed: Bool {
        get { failed.load(ordering: .acquiring) }
        set { failed.store(newValue, ordering: .releasing) }
    }
}
