package import Logging
package import ViewModelKit
import Synchronization
import ViewModelProtocol

/// What all sessions of a daemon share: the types, the limits, the directory of sessions.
package final class Host: Sendable {
    package let name: String
    package let version: String
    package let logger: Logger
    package let counters = Counters()
    package let health: HealthMonitor
    let types: [String: HostedType]
    /// In the order of the types' registration.
    let typeOrder: [HostedType]
    let builtInTypes: [HostedType]
    let childTypes: Set<String>
    let scenes: [String: String?]
    let services: [ObjectIdentifier: any Sendable]
    let directory: SessionDirectory
    let living = LiveSessions()
    /// Where named sessions are kept; nil where they end for good.
    let store: (any Store)?
    let storeQueue = StoreQueue()
    private let settings: Mutex<HostConfiguration>
    private let shapes = Mutex<[ShapeKey: BindingShape]>([:])
    private let discovery = Mutex<[UInt8]?>(nil)
    private let stopping = Atomic(false)
    private let incidents = Mutex(IncidentLog())
    /// Bounds the lines that one user's clients cause together, however often they connect anew.
    private let userLog = Mutex(LogBurstLimiter<UserEvent>())
    private let begun = ContinuousClock.now

    /// Makes the host of a catalog's types.
    package init(
        catalog: ViewModelCatalog,
        configuration: HostConfiguration,
        name: String = "viewmodeld",
        version: String,
        logger: Logger,
        store: (any Store)? = nil,
        storage: @escaping @Sendable () -> StorageHealth
    ) {
        settings = Mutex(configuration)
        self.name = name
        self.version = version
        self.logger = logger
        self.store = store
        typeOrder = catalog.entries.map { HostedType($0.contract, make: $0.make, isRestored: $0.isRestored) }
        types = Dictionary(uniqueKeysWithValues: typeOrder.map { ($0.name, $0) })
        builtInTypes = Self.builtInContracts.map { HostedType($0, make: nil, isBuiltIn: true) }
        var children: Set<String> = []
        func collect(_ type: HostedType) {
            for child in type.children {
                children.insert(child.type.name)
                collect(child.type)
            }
        }
        typeOrder.forEach(collect)
        childTypes = children.subtracting(types.keys)
        scenes = catalog.scenes
        services = catalog.services
        directory = SessionDirectory()
        health = HealthMonitor(version: version, counters: counters, storage: storage)
    }

    private static let builtInContracts = [
        HostedContract(of: Coordinator.self),
        HostedContract(of: Prompter.self),
        HostedContract(of: DaemonHealth.self),
    ]

    /// What holds now.
    package var configuration: HostConfiguration { settings.withLock { $0 } }

    /// Takes another configuration from now on; peers that are underway are told by their server.
    package func adopt(_ configuration: HostConfiguration) {
        settings.withLock { $0 = configuration }
    }

    /// Whether the daemon is about to end: what is called now is answered -32007.
    package var isStopping: Bool { stopping.load(ordering: .relaxed) }

    /// Refuses new work from now on.
    package func beginStopping() {
        stopping.store(true, ordering: .relaxed)
        health.beginStopping()
        for session in living.all {
            session.run { $0.sampleHealth() }
        }
    }

    /// Makes a session's epoch, which no other life of it has.
    func makeEpoch() -> String {
        String(UInt64.random(in: .min ... .max), radix: 16)
    }

    /// Logs a fault of the daemon's own and gives it an id.
    ///
    /// Where a fault repeats many times within seconds, the log counts the later ones, and they share the last one's id.
    func incident(_ error: any Error, in place: String, _ metadata: Logger.Metadata) -> String {
        let text = "\(error)"
        let now = ContinuousClock.now - begun
        let (incident, unlogged) = incidents.withLock { $0.admit("\(place): \(text)", at: now) }
        guard let unlogged else { return incident }
        var facts = metadata.merging(["incident": "\(incident)", "error": "\(text)"]) { $1 }
        if unlogged > 0 { facts["unlogged"] = "\(unlogged)" }
        logger.error("Unexpected error in \(place)", metadata: facts)
        return incident
    }

    /// Logs what clients can bring about as often as they like: one line of a kind every five seconds.
    func logRarely(_ level: Logger.Level, _ message: Logger.Message, _ metadata: @autoclosure () -> Logger.Metadata) {
        guard logger.logLevel <= level else { return }
        let now = ContinuousClock.now - begun
        guard let repeated = incidents.withLock({ $0.pace.admit("\(message)", at: now) }) else { return }
        var facts = metadata()
        if repeated > 0 { facts["repeated"] = "\(repeated)" }
        logger.log(level: level, message, metadata: facts)
    }

    /// Decides whether a line about a user's client is logged, which stands for `count` events.
    ///
    /// - Returns: how many events were held back before it; nil when this line is held back.
    func admitLine(of uid: UInt32, _ event: ClientEvent, count: Int) -> Int? {
        let now = ContinuousClock.now - begun
        return userLog.withLock { $0.admit(UserEvent(uid: uid, event: event), count: count, at: now) }
    }

    /// The one shape of bindings that show these outputs of a type.
    func shape(of outputs: [Int], in type: HostedType) -> BindingShape {
        shapes.withLock { shapes in
            let key = ShapeKey(type: ObjectIdentifier(type), outputs: outputs)
            if let shape = shapes[key] { return shape }
            let shape = BindingShape(outputs: outputs)
            // Clients choose the outputs; more choices than any program has are not remembered.
            if shapes.count < 4096 { shapes[key] = shape }
            return shape
        }
    }

    /// The OpenRPC document, made when it is first asked for.
    ///
    /// - Throws: `SchemaError` when the shape of a value cannot be told.
    func discoveryDocument() throws(SchemaError) -> [UInt8] {
        try discovery.withLock { document throws(SchemaError) in
            if let document { return document }
            let made = try DiscoveryDocument(host: self).text()
            document = made
            return made
        }
    }
}

/// A kind of log line that a user's clients cause.
private struct UserEvent: Hashable {
    let uid: UInt32
    let event: ClientEvent
}

private struct ShapeKey: Hashable {
    let type: ObjectIdentifier
    let outputs: [Int]
}
