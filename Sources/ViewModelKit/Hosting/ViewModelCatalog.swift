/// The ViewModel types, scenes and services that a daemon hosts.
///
///     var catalog = ViewModelCatalog()
///     try catalog.host(Calculator.self) { context in
///         Calculator(brain: context.shared { Cell(CalculatorBrain()) })
///     }
public struct ViewModelCatalog: Sendable {
    package struct Entry: Sendable {
        package let contract: HostedContract
        package let isRestored: Bool
        /// Whether `rpc.discover` lists the type.
        package let isDescribed: Bool
        package let make: @Sendable (ViewModelContext) throws -> AnyObject
    }

    package private(set) var entries: [Entry] = []
    /// The scenes that clients can open by name, with the id of the instance that each one shows.
    package private(set) var scenes: [String: String?] = [:]
    package private(set) var services: [ObjectIdentifier: any Sendable] = [:]

    /// Creates an empty catalog.
    public init() {}

    /// Hosts a ViewModel type under its name.
    ///
    /// - Parameters:
    ///   - type: the type.
    ///   - isRestored: whether the instances are part of the saved session.
    ///   - make: creates an instance and its wiring. It does no I/O and runs on the session.
    /// - Throws: ``CatalogError`` when the name is taken or reserved.
    public mutating func host<Type: ViewModel>(
        _ type: Type.Type,
        isRestored: Bool = true,
        _ make: @escaping @Sendable (ViewModelContext) throws -> Type
    ) throws(CatalogError) {
        try host(HostedContract(of: type), isRestored: isRestored, make)
    }

    /// Hosts a contract, whose objects have no `ViewModel` type of their own.
    package mutating func host(
        _ contract: HostedContract,
        isRestored: Bool,
        isDescribed: Bool = true,
        _ make: @escaping @Sendable (ViewModelContext) throws -> AnyObject
    ) throws(CatalogError) {
        guard !Self.reserved.contains(contract.name) else {
            throw CatalogError(description: "a ViewModel is called \"\(contract.name)\", a name of the protocol's own")
        }
        if entries.contains(where: { $0.contract.name == contract.name }) {
            throw CatalogError(
                description: "two ViewModel types are called \"\(contract.name)\"; "
                    + "give one another name: @ViewModel(\"…\")"
            )
        }
        entries.append(Entry(contract: contract, isRestored: isRestored, isDescribed: isDescribed, make: make))
    }

    /// Registers a scene that clients can open by its name, with the id of the instance that it shows.
    public mutating func scene(_ name: String, instance: String? = nil) {
        scenes[name] = .some(instance)
    }

    /// Provides a service to the ViewModels of all sessions, which find it by its type.
    public mutating func provide<Service: Sendable>(_ service: Service) {
        services[ObjectIdentifier(Service.self)] = service
    }

    package static let reserved: Set<String> = ["rpc", "session", "viewModel", "coordinator", "prompter", "daemon"]
}

/// A fault in a catalog, which the daemon's start reports.
public struct CatalogError: Error, CustomStringConvertible {
    /// The fault and its remedy.
    public let description: String
}
