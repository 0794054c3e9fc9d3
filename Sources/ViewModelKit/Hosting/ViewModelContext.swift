public import Logging

/// The argument of a ViewModel's factory: services, objects that the session shares, and the arguments of
/// `viewModel.open`.
///
/// Isolation: confined to its session. It is valid during the call of the factory only.
public final class ViewModelContext {
    /// The navigation of this session.
    public var coordinator: Coordinator { session.coordinator }
    /// The prompts and hints of this session.
    public var prompter: Prompter { session.prompter }
    /// The session's clock.
    public var clock: SessionClock { session.clock }
    /// The instances of this session, for the ViewModel or the shared model that is being made.
    public var instances: Instances { Instances(session.graph, for: model == nil ? id : "") }
    /// The daemon's logger, whose records name the session and the instance, or the shared model that is being made.
    public var logger: Logger {
        var logger = session.graph.host.logger
        if let model { logger[metadataKey: "model"] = "\(model)" } else { logger[metadataKey: "instance"] = "\(id)" }
        return logger
    }
    /// The user that the session belongs to.
    public var user: User { session.user }
    /// The number of the user that the session belongs to.
    public var uid: UInt32 { session.uid }
    /// The id of the instance.
    package let id: String
    /// The name of the session, or nil for an anonymous one.
    package var sessionName: String? { session.sessionName }
    let session: SessionServices
    let typeName: String
    /// The arguments of `viewModel.open` as JSON text, or nil if there were none.
    private let argumentsText: [UInt8]?
    private let argumentsShape: MemberShape?
    /// The type of the shared model that is being made, or nil.
    private var model: Any.Type?

    package init(
        _ session: SessionServices,
        id: String,
        typeName: String,
        arguments: [UInt8]?,
        as shape: MemberShape?
    ) {
        self.session = session
        self.id = id
        self.typeName = typeName
        argumentsText = arguments
        argumentsShape = shape
    }

    /// Returns the service of a type that the catalog provides.
    ///
    /// - Parameter type: the type with which the service was provided.
    /// - Returns: the service.
    /// - Throws: ``CatalogError``, which names the service and the ViewModel.
    public func service<Service: Sendable>(_ type: Service.Type = Service.self) throws -> Service {
        try resolve(type)
    }

    /// Returns the session's model of a type that the catalog shares, or nil for another type.
    func registeredModel(_ type: any Any.Type) throws -> AnyObject? {
        guard let make = session.catalog.models[ObjectIdentifier(type)] else { return nil }
        return try shared(type) { try make(self) }
    }

    /// Returns the object of this type that the ViewModels of the session share.
    ///
    /// The first call creates it.
    public func shared<Shared: AnyObject>(_ make: () throws -> Shared) rethrows -> Shared {
        let object = try shared(Shared.self as any Any.Type) { try make() }
        return unsafeDowncast(object, to: Shared.self)
    }

    private func shared(_ type: any Any.Type, _ make: () throws -> AnyObject) rethrows -> AnyObject {
        let key = ObjectIdentifier(type)
        if let shared = session.shared[key] { return shared }
        // No instance has a space in its id, and no ViewModel type in its name.
        let owner = "shared \(SchemaName.stable(type))"
        let saving = type as? any SavingValues.Type
        let outer = model
        model = type
        defer { model = outer }
        // The object outlives the ViewModel that creates it.
        let shared = try session.graph.wiring(
            session.taskScope,
            owner: RestorableValues.Owner(owner, of: owner, formerNames: saving?.formerOwners ?? [], saving),
            make
        )
        session.shared[key] = shared
        return shared
    }

    /// Decodes the `arguments` of `viewModel.open`, or an empty object if there were none.
    ///
    /// - Parameter type: the type of the arguments.
    /// - Returns: the arguments.
    /// - Throws: an error that `viewModel.open` answers with -32602 when the arguments do not fit the type.
    public func arguments<Arguments: Decodable>(_ type: Arguments.Type = Arguments.self) throws -> Arguments {
        let shape = argumentsShape ?? MemberShape { nil }
        return try (argumentsText ?? Array("{}".utf8)).withUnsafeBytes { text in
            try SentValue(text, at: "/arguments", as: shape.reading).decode(type)
        }
    }
}

/// A session as its ViewModels see it: the clock, the built-in ViewModels, the services and the shared objects.
///
/// Isolation: confined to its session.
package final class SessionServices {
    let graph: Graph
    let uid: UInt32
    let sessionName: String?
    package private(set) lazy var clock = SessionClock(graph: graph)
    package private(set) lazy var coordinator =
        graph.wiring(owner: RestorableValues.Owner("coordinator", of: "")) { Coordinator(scenes: catalog.scenes) }
    package private(set) lazy var prompter = graph.wiring { Prompter() }
    fileprivate lazy var user = graph.wiring { User(person, uid: uid) }
    /// The person whose client has attached last; nil for a Unix user.
    ///
    /// It changes in a step.
    package var person: User.Identity? {
        didSet { if let person { user.adopt(person) } }
    }
    package fileprivate(set) var shared: [ObjectIdentifier: AnyObject] = [:]
    fileprivate let taskScope = TaskScope()
    fileprivate let catalog: ViewModelCatalog

    package init(
        _ catalog: ViewModelCatalog,
        graph: Graph,
        uid: UInt32,
        person: User.Identity? = nil,
        sessionName: String?
    ) {
        self.catalog = catalog
        self.graph = graph
        self.uid = uid
        self.person = person
        self.sessionName = sessionName
    }

    /// Releases the shared objects and ends their tasks, because the session has ended.
    package func end() {
        taskScope.end()
        shared.removeAll()
    }

    /// Returns the service of a type, or the only service that conforms to a protocol.
    func find<Value>(_ type: Value.Type) -> Value? {
        if let service = catalog.services[ObjectIdentifier(type)] { return service as? Value }
        let fitting = catalog.services.values.compactMap { $0 as? Value }
        return fitting.count == 1 ? fitting[0] : nil
    }
}
