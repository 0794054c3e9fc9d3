import FoundationEssentials
import Logging
import ViewModelKit
import ViewModelProtocol

/// The graph, instances and attached clients of a session.
///
/// Isolation: confined to the session's loop. No method suspends.
final class SessionCore {
    let host: Host
    @exclusivity(unchecked) private(set) weak var session: Session?
    let uid: UInt32
    /// The person whose client has started the session; nil for a Unix user.
    private let firstPerson: User.Identity?
    let loop: any SessionLoop
    /// The graph, set by `start`.
    @exclusivity(unchecked) private(set) var graph: Graph!
    @exclusivity(unchecked) private(set) var saver: SessionSaver?
    private(set) lazy var services = SessionServices(
        host.catalog,
        graph: graph,
        uid: uid,
        person: firstPerson,
        sessionName: session?.name
    )
    /// The instances in the order of their creation, and by id.
    @exclusivity(unchecked) var instances: [Instance] = []
    @exclusivity(unchecked) var instancesByID = NameTable<Instance>()
    @exclusivity(unchecked) private(set) var attachments: [Attachment] = []
    private(set) var linger: Int
    private var lingerTimer: (any ScheduledWork)?
    @exclusivity(unchecked) private(set) var isEnded = false
    /// The outcome for calls that arrive from another loop after the end; nil while the session lives.
    private(set) var endOutcome: ActionOutcome?
    @exclusivity(unchecked) private var touched: [Instance] = []
    /// The instances whose init runs, with the numbers of instances that they become; each is opened by the one before.
    var unfinished: [(id: String, count: Int)] = []
    /// Whether the saved instances are being restored.
    private(set) var isRestoring = false
    /// The number of instances that were opened without an id.
    var openedCount = 0
    /// The hints about saved values, which wait for a client that binds the prompter.
    var developmentHints: [String] = []
    /// The saved instance whose restoring has ended the session; nil in a session that goes on.
    var failedInstance: String?
    /// Whether the message that is carried out is a request.
    ///
    /// A notification has no reply, so none is computed.
    @exclusivity(unchecked) var isAwaited = true
    /// Whether a report to the other nodes is queued, or will be repeated.
    var isReportQueued = false
    /// The bytes that the session holds for its user.
    @exclusivity(unchecked) private var heldBytes = 0

    init(host: Host, uid: UInt32, person: User.Identity?, linger: Int, loop: any SessionLoop) {
        self.host = host
        self.uid = uid
        firstPerson = person
        self.loop = loop
        self.linger = linger
    }

    func start(in session: Session, acquired: AcquiredSession?) {
        self.session = session
        if let key = session.key, let store = host.store, let acquired {
            saver = SessionSaver(core: self, store: store, key: key, acquired: acquired)
        }
        // The three built-in instances count as created by the first three steps.
        let place = ActivityPlace(uid: uid, session: session.name)
        graph = Graph(host: self, session: session, place: place, sequence: host.builtInTypes.count)
        // The session keeps the data of its user in memory.
        host.present.enter(uid)
        host.directory.add(session)
        host.counters.sessions.add(1)
        updateInstanceCount(by: host.builtInTypes.count)
        restore()
    }

    /// Recreates the saved instances.
    ///
    /// Their values are restored while they are created. An author's mistake in an instance ends this session, and
    /// restoring stops at the instance. The store keeps an instance whose type is missing, or whose arguments are not valid
    /// any more, with its values.
    private func restore() {
        guard let saver, let session else { return }
        isRestoring = true
        defer { isRestoring = false }
        let renamed = saver.saved.instances.filter { host.types[ExactString($0.type)] == nil }
            .compactMap { saved in host.formerTypes[ExactString(saved.type)].map { (saved, type: $0.name) } }
        // A default instance is called as its type.
        for (saved, type) in renamed where saved.id == saved.type { saver.renameOpener(saved.id, to: type) }
        for saved in saver.saved.instances {
            do {
                try reopen(saved)
            } catch {
                logger.warning(
                    "A saved instance cannot be restored",
                    metadata: ["instance": "\(saved.id)", "type": "\(saved.type)", "error": "\(error)"]
                )
                if let problem = problem(of: saved, error) {
                    saver.unrestored.append(saved)
                    host.report(unread: saved.type, problem, metadata)
                }
            }
            if session.currentStatus.failure != nil {
                // What is saved of the session stays as it is.
                saver.isDiscarded = true
                return
            }
        }
        // The restored instances are saved already, unless their type has another name now.
        if !renamed.isEmpty { saver.instancesChanged = true }
        closeOrphans()
        reportUnclaimed()
        if saver.instancesChanged || !saver.written.isEmpty { saver.stepEnded() }
    }

    /// Returns why an instance that cannot be restored stays saved; nil if its type is not restored any more.
    private func problem(of saved: SavedInstance, _ error: any Error) -> String? {
        let name = ExactString(saved.type)
        guard let type = host.types[name] ?? host.formerTypes[name] else {
            return "no ViewModel is called \(saved.type)"
        }
        guard type.isRestored else { return nil }
        // An init may have opened an instance with others that do not fit.
        let path = (error as? ProtocolError)?.data?["path"]?.stringValue
        let isInvalid = path?.hasPrefix("/arguments") == true
        return isInvalid ? "the arguments of an instance do not fit any more" : "an instance cannot be made"
    }

    var epoch: String { session?.epoch ?? "" }

    // MARK: Clients

    /// Attaches a client that has asked for the session, and replies to it.
    func attach(_ request: AttachRequest, to session: Session, created: Bool) {
        if let person = request.person { graph.step { services.person = person } }
        let attachment = attach(request.peer, to: session, linger: request.linger)
        request.peer.run { [linger] in
            $0.finishAttach(attachment, created: created, linger: linger, request.pending)
        }
    }

    /// Attaches a client, whose peer may be on another loop, and sets the linger in seconds unless it is nil.
    func attach(_ peer: LoopConfined<RPCPeer>, to session: Session, linger wanted: Int?) -> LoopConfined<Attachment> {
        let attachment = Attachment(session, peer)
        if let wanted { linger = wanted }
        lingerTimer?.cancel()
        lingerTimer = nil
        attachments.append(attachment)
        updateStatus()
        return LoopConfined(attachment, on: loop)
    }

    /// Detaches a client.
    ///
    /// After the last one the session lingers, or ends if it is anonymous or its linger is 0.
    func detach(_ attachment: Attachment) {
        guard !isEnded else { return }
        attachments.removeAll { $0 === attachment }
        graph.step { attachment.endBindings() }
        if attachments.isEmpty {
            if session?.name == nil {
                end()
            } else if linger == 0 {
                endAfterSave()
            } else {
                startLinger()
            }
        }
        updateStatus()
    }

    private func startLinger() {
        // A session without a linger lingers only because it cannot be saved.
        lingerTimer = loop.schedule(after: .seconds(max(linger, 1))) { [weak session] in
            session?.run { core in
                core.lingerTimer = nil
                core.endAfterSave()
            }
        }
    }

    /// Ends a session without clients.
    ///
    /// While a store that several machines share is away, the session goes on with what the store does not have. Clients
    /// that attach meanwhile wait.
    private func endAfterSave() {
        guard attachments.isEmpty, let session, let key = session.key else { return }
        guard host.placement != nil, host.directory.reserveName(of: session) else {
            end()
            return
        }
        whenSaved { failure in
            if failure == .storeUnavailable, !self.isEnded {
                self.host.directory.fulfil(with: session)
                self.startLinger()
            } else {
                self.end()
                self.host.directory.release(key)
            }
        }
    }

    /// Ends the session: saves it, cancels and answers its actions, closes its instances and notifies its clients.
    ///
    /// A call that waits for the last save is answered before, so that no client gets a result after `session.closed`.
    ///
    /// - Parameters:
    ///   - notice: what the clients are notified of; nil for a session without clients.
    ///   - requester: the client that has requested the end, which is not notified.
    ///   - releases: whether the session is saved a last time, and other nodes may claim it then. Otherwise nothing more is
    ///     saved, and calls that wait for a save are answered -32800.
    func end(
        _ notice: SessionClosed.Params? = nil,
        requester: LoopConfined<RPCPeer>? = nil,
        releases: Bool = true
    ) {
        guard !isEnded, let session else { return }
        let outcome: ActionOutcome = notice?.incident.map { .fault(incident: $0) } ?? .cancelled
        rememberUnfinishedCalls(outcome)
        if releases {
            saver?.saveLast()
        } else {
            saver?.abandon()
        }
        let left = attachments
        graph.step {
            for attachment in left { attachment.endBindings() }
            for instance in instances { instance.close(outcome) }
        }
        // Nothing is counted after the end.
        count(heldBytes: -heldBytes)
        isEnded = true
        endOutcome = outcome
        updateInstanceCount(by: -session.currentStatus.instances)
        instances = []
        instancesByID = NameTable()
        attachments = []
        lingerTimer?.cancel()
        services.end()
        host.counters.sessions.add(-1)
        host.directory.remove(session)
        host.present.leave(uid)
        graph.close()
        let notify = {
            for attachment in left {
                let isRequester = requester?.isSame(as: attachment.peer) ?? false
                attachment.peer.run { $0.sessionEnded(session, isRequester ? nil : notice) }
            }
        }
        if let saver { saver.whenCallersAreAnswered(notify) } else { notify() }
    }

    private func updateStatus() {
        guard let session else { return }
        let expires = attachments.isEmpty ? session.loop.date + TimeInterval(linger) : nil
        session.updateStatus { status in
            status.attached = attachments.count
            status.expires = expires
        }
        reportSummary()
    }

    func updateInstanceCount(by change: Int) {
        host.counters.instances.add(change)
        session?.updateStatus { $0.instances += change }
        // The first attach reports those of a new session.
        if !attachments.isEmpty { reportSummary() }
    }

    /// Samples the daemon's health now, if the session has the `daemon` instance.
    func sampleHealth() {
        guard !isEnded, let health = instancesByID.find("daemon")?.object as? DaemonHealth else { return }
        graph.step { health.sample() }
    }

    /// The session's name and user for the log.
    var metadata: Logger.Metadata { session?.metadata ?? [:] }

    /// The number of executing actions.
    var executingActions: Int { instances.reduce(0) { $0 + $1.actions.count { $0.isExecuting.untracked } } }
}

extension SessionCore: GraphHost {
    func changed(_ output: AnyOutput, in step: Int) {
        output.owner?._withUnsafeGuaranteedRef { owner in
            let instance = unsafeDowncast(owner, to: Instance.self)
            if instance.beginChanges(inStep: step) { touched.append(instance) }
            let held = instance.changed(output.index, at: step) { error in
                _ = incident(error, in: "encoding an event of \(instance.id)")
            }
            if held != 0 { count(heldBytes: held) }
        }
    }

    func committed() {
        if !touched.isEmpty {
            for instance in touched {
                for binding in instance.bindings { binding.instanceChanged() }
            }
            touched.removeAll(keepingCapacity: true)
        }
        saver?.stepEnded()
    }

    var now: Duration { loop.now }

    var executionLimit: Int { host.configuration.limits.executions }

    var sceneLimit: Int { host.configuration.limits.scenes }

    func checkRoom(for bytes: Int, isBrief: Bool) throws(LimitExceeded) {
        let limit = host.configuration.limits.bytesPerUser
        guard bytes > 0, loop.heldBytes(of: uid) + bytes > (isBrief ? limit : limit / 4 * 3) else { return }
        throw LimitExceeded(limit: "limits.bytesPerUser", value: limit)
    }

    func count(heldBytes change: Int) {
        guard !isEnded else { return }
        heldBytes += change
        loop.count(heldBytes: change, of: uid)
    }

    var logger: Logger {
        var logger = host.logger
        for (key, value) in metadata { logger[metadataKey: key] = value }
        return logger
    }

    func logScene(_ scene: String, isRefused: Bool) {
        var details: Logger.Metadata = ["scene": "\(scene)"]
        if isRefused { details["limit"] = "\(sceneLimit)" }
        host.logRarely(
            isRefused ? .notice : .warning,
            isRefused
                ? "A ViewModel's scene was refused because limits.scenes scenes are shown"
                : "A ViewModel shows a scene that is not registered; call catalog.scene or catalog.scenes",
            metadata.merging(details) { $1 }
        )
    }

    func schedule(timer number: Int, after delay: Duration) -> any ScheduledWork {
        loop.schedule(after: delay) { [weak session] in
            session?.run { core in
                if !core.isEnded { core.graph.fire(timer: number) }
            }
        }
    }

    func incident(_ error: any Error, in activity: String) -> String {
        // The error of an init that an action has caused has an incident already.
        if let error = error as? ProtocolError, let incident = error.data?["incident"]?.stringValue { return incident }
        return host.incident(error, in: activity, metadata)
    }
}
