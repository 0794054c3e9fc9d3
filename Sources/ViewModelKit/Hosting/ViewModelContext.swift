/// What a ViewModel's factory is given: services, what the session shares, and the arguments of `viewModel.open`.
///
/// Isolation: confined to its session, and to the call of the factory.
public final class ViewModelContext {
    /// Navigation of this session.
    public var coordinator: Coordinator { builtIns.coordinator }
    /// Prompts and hints of this session.
    public var prompter: Prompter { builtIns.prompter }
    /// The session's clock.
    public let clock: SessionClock
    /// The user that the session belongs to.
    public let uid: UInt32
    private let typeName: String
    private let services: SessionServices
    private let argumentsReader: (any ValueReader)?
    private let graph: Graph
    private let builtIns: any BuiltInViewModels

    package init(
        graph: Graph,
        typeName: String,
        uid: UInt32,
        builtIns: any BuiltInViewModels,
        clock: SessionClock,
        services: SessionServices,
        arguments: (any ValueReader)?
    ) {
        self.graph = graph
        self.typeName = typeName
        self.uid = uid
        self.builtIns = builtIns
        self.clock = clock
        self.services = services
        self.argumentsReader = arguments
    }

    /// Finds the service of a type that the catalog provides.
    ///
    /// - Throws: ``MissingService``, which names it.
    public func service<Service: Sendable>(_ type: Service.Type = Service.self) throws -> Service {
        guard let service = services.provided[ObjectIdentifier(type)] as? Service else {
            throw MissingService(service: "\(type)", viewModel: typeName)
        }
        return service
    }

    /// Finds what the ViewModels of this session share by its type; the first to ask makes it.
    public func shared<Shared: AnyObject>(_ make: () throws -> Shared) rethrows -> Shared {
        let key = ObjectIdentifier(Shared.self)
        if let shared = services.shared[key] as? Shared { return shared }
        // It outlives the ViewModel that happened to ask first.
        let shared = try graph.wiring(services.taskScope) {
            try graph.restoring?.owned(by: "", make) ?? make()
        }
        services.shared[key] = shared
        return shared
    }

    /// Reads the `arguments` of `viewModel.open`, an empty object where there were none.
    ///
    /// - Throws: ``InvalidValue`` when they do not fit; the opener gets -32602.
    public func arguments<Arguments: Decodable>(_ type: Arguments.Type = Arguments.self) throws -> Arguments {
        guard let argumentsReader else {
            throw InvalidValue(path: "/arguments", expected: "an object", found: "nothing")
        }
        return try argumentsReader.read(type)
    }
}

/// Who has the ViewModels that every session has, and makes them when they are asked for.
package protocol BuiltInViewModels: AnyObject {
    var coordinator: Coordinator { get }
    var prompter: Prompter { get }
}

/// What a session keeps for its ViewModels.
package final class SessionServices {
    package let provided: [ObjectIdentifier: any Sendable]
    package var shared: [ObjectIdentifier: AnyObject] = [:]
    package let taskScope = TaskScope()

    package init(provided: [ObjectIdentifier: any Sendable]) {
        self.provided = provided
    }
}

/// A service that a ViewModel asked for and the catalog does not provide.
public struct MissingService: Error, Sendable, CustomStringConvertible {
    /// The service's type.
    public let service: String
    /// The ViewModel type that asked.
    public let viewModel: String

    /// Names both, and the remedy.
    public var description: String {
        "\(viewModel) needs the service \(service), which nobody provides; "
            + "call catalog.provide(…) with one before the daemon starts"
    }
}
