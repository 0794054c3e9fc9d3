package import Logging
package import ViewModelKit
import Synchronization
import ViewModelProtocol

/// The state that all sessions of a daemon share: the types, the limits and the directory of sessions.
package final class Host: Sendable {
    package let name: String
    package let version: String
    /// Whether the daemon is run by its author, who gets hints about it in all sessions.
    let isInDevelopment: Bool
    package let logger: Logger
    package let counters = Counters()
    package let health: HealthMonitor
    /// All types with instances of their own, built-in ones included.
    let types: [ExactString: HostedType]
    /// The types by the names that they had.
    let formerTypes: [ExactString: HostedType]
    /// The owners of values of shared models, with their former names; nil if a factory of the author may make others.
    let sharedOwners: Set<String>?
    /// The authors' types in the order of their registration.
    let typeOrder: [HostedType]
    let builtInTypes: [HostedType]
    /// The ids in default instances of the types that are only children, by the names of the types.
    let childPaths: [ExactString: [String]]
    let catalog: ViewModelCatalog
    let directory = SessionDirectory()
    /// The users whose data is in memory.
    package let present = PresentUsers()
    /// The values that outlast sessions.
    package let lasting = LastingValues()
    /// The store of named sessions; nil if sessions are not saved.
    let store: (any Store)?
    /// The numbers of people without a Unix account; nil if nobody can act for them.
    private let userNumbers: (any UserNumbers)?
    /// The nodes on which named sessions live; nil if no other host shares the store.
    let placement: (any SessionPlacement)?
    let storeQueue = StoreQueue()
    private let settings: Mutex<HostConfiguration>
    private let discovery = Mutex<[UInt8]?>(nil)
    private let hash = Mutex<String?>(nil)
    private let stopping = Atomic(false)
    private let incidents = Mutex(IncidentLog())
    /// The lines of ``logRarely(_:_:_:)``.
    private let rareLines = Mutex(LogRateLimiter<String>())
    /// Bounds the log lines of all clients of a user together, even if they reconnect.
    private let userLog = Mutex(LogRateLimiter<UserEvent>(burst: IncidentLog.burst, capacity: 1024))
    private let begun = ContinuousClock.now
    private var now: Duration { ContinuousClock.now - begun }

    /// Creates the host of a catalog's types.
    ///
    /// With `isInDevelopment`, clients get a hint for each saved value that does not fit any more.
    package init(
        catalog: ViewModelCatalog,
        configuration: HostConfiguration,
        name: String = "viewmodeld",
        version: String,
        isInDevelopment: Bool = false,
        logger: Logger,
        store: (any Store)? = nil,
        userNumbers: (any UserNumbers)? = nil,
        placement: (any SessionPlacement)? = nil,
        storage: @escaping @Sendable () -> StorageHealth
    ) {
        settings = Mutex(configuration)
        self.name = name
        self.version = version
        self.isInDevelopment = isInDevelopment
        self.logger = logger
        self.store = store
        self.userNumbers = userNumbers
        self.placement = placement
        self.catalog = catalog
        typeOrder = catalog.entries.map { HostedType($0.contract, $0) }
        builtInTypes = Self.builtInContracts.map { HostedType($0, isBuiltIn: true) }
        types = Dictionary((typeOrder + builtInTypes).map { (ExactString($0.name), $0) }) { $1 }
        let types = types
        formerTypes = Dictionary(
            typeOrder.flatMap { type in (type.contract.type?.formerNames ?? []).map { (ExactString($0), type) } }
        ) { first, _ in first }
        sharedOwners = catalog.sharedOwners
        childPaths = HostedType.childPaths(in: typeOrder).filter { types[$0.key] == nil }
        health = HealthMonitor(version: version, counters: counters, storage: storage)
        placement?.start { [weak self] event in self?.handle(event) }
    }

    private static let builtInContracts = [
        Coordinator.contract.hosted,
        Prompter.contract.hosted,
        DaemonHealth.contract.hosted,
    ]

    /// The current configuration.
    package var configuration: HostConfiguration { settings.withLock { $0 } }

    /// Returns the user number of a person, whose subject has this SHA-256.
    func userNumber(of digest: [UInt8]) async throws -> UInt32 {
        guard let userNumbers else { throw StoreMissing() }
        return try await userNumbers.number(of: digest)
    }

    /// Replaces the configuration.
    ///
    /// The server passes the new limits to existing peers.
    package func adopt(_ configuration: HostConfiguration) {
        settings.withLock { $0 = configuration }
    }

    /// Whether the daemon is stopping.
    ///
    /// New calls then fail with -32007.
    package var isStopping: Bool { stopping.load(ordering: .relaxed) }

    /// Rejects new work from now on.
    package func beginStopping() {
        stopping.store(true, ordering: .relaxed)
        placement?.stopClaiming()
        for session in directory.living() {
            session.run { core in
                core.sampleHealth()
                core.leaveIfIdle()
            }
        }
    }

    /// Logs a fault of the daemon and returns its incident id.
    ///
    /// If a fault repeats many times within seconds, the log counts the later ones. They share the id of the last
    /// logged one.
    func incident(_ error: any Error, in activity: String, _ metadata: Logger.Metadata) -> String {
        let text = "\(error)"
        let incident = admitIncident(text, in: activity)
        log(incident, text, in: activity, metadata)
        return incident.id
    }

    /// Returns the error for a caller whose data could not be saved or loaded, and logs its cause.
    func storeError(_ error: any Error, in activity: String, _ metadata: Logger.Metadata) -> ProtocolError {
        switch error {
        // The session has ended here. Its clients are notified.
        case is SessionMoved: return .cancelled
        case _ where error.isUnavailableStore:
            // The store logs when it goes and when it is back.
            logger.debug("The store cannot be reached", metadata: metadata.merging(["error": "\(error)"]) { $1 })
            return .storeUnavailable
        default: return .internalError(incident: incident(error, in: activity, metadata))
        }
    }

    /// Counts a fault and returns its incident, which ``log(_:_:in:_:)`` logs.
    func admitIncident(_ fault: String, in activity: String) -> Incident {
        return incidents.withLock { $0.admit("\(activity): \(fault)", at: now) }
    }

    /// Logs an incident, unless the same fault was logged a short time ago.
    func log(_ incident: Incident, _ error: String, in activity: String, _ metadata: Logger.Metadata) {
        guard let unlogged = incident.unlogged else { return }
        var details = metadata.merging(["incident": "\(incident.id)", "error": "\(error)"]) { $1 }
        if unlogged > 0 { details["unlogged"] = "\(unlogged)" }
        logger.error("Unexpected error in \(activity)", metadata: details)
    }

    /// Logs an event that clients can cause at will, at most one line of a kind every five seconds.
    func logRarely(_ level: Logger.Level, _ message: Logger.Message, _ metadata: @autoclosure () -> Logger.Metadata) {
        guard logger.logLevel <= level else { return }
        guard let repeated = rareLines.withLock({ $0.admit("\(message)", at: now) }) else { return }
        var details = metadata()
        if repeated > 0 { details["repeated"] = "\(repeated)" }
        logger.log(level: level, message, metadata: details)
    }

    /// Logs, at most every five seconds, that the store has failed to do something that no client waits for.
    ///
    /// The store itself logs when it cannot be reached.
    func logStoreFailure(_ message: Logger.Message, _ error: any Error, _ metadata: Logger.Metadata = [:]) {
        guard !error.isUnavailableStore else { return }
        logRarely(.warning, message, metadata.merging(["error": "\(error)"]) { $1 })
    }

    /// Decides whether to log a line about a user's client.
    ///
    /// The line stands for `count` events.
    ///
    /// - Returns: The number of events that were suppressed before it; nil if this line is suppressed.
    func admitLine(of uid: UInt32, _ event: ClientEvent, count: Int) -> Int? {
        return userLog.withLock { $0.admit(UserEvent(uid: uid, event: event), count: count, at: now) }
    }

    /// Returns the OpenRPC document, which the first use makes.
    package func discoveryDocument() -> [UInt8] {
        Self.made(discovery) { DiscoveryDocument(host: self).text() }
    }

    /// The hash of the contract (protocol, section 9), which the first use makes.
    package var contractHash: String {
        Self.made(hash) { DiscoveryDocument(host: self).hash() }
    }

    private static func made<Value: Sendable>(_ kept: borrowing Mutex<Value?>, _ make: () -> Value) -> Value {
        kept.withLock { value in
            if let value { return value }
            let made = make()
            value = made
            return made
        }
    }
}

/// An error: the daemon keeps nothing, so it cannot number people.
private struct StoreMissing: Error {}

/// A kind of log line about the clients of a user.
private struct UserEvent: Hashable {
    let uid: UInt32
    let event: ClientEvent
}
