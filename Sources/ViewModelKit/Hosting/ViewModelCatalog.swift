/// The ViewModel types, scenes and services of an application: what a daemon is started with.
///
///     var catalog = ViewModelCatalog()
///     try catalog.host(Calculator.self) { context in
///         Calculator(brain: context.shared { Cell(CalculatorBrain()) })
///     }
public struct ViewModelCatalog: Sendable {
    package struct Entry: Sendable {
        package let contract: HostedContract
        package let isRestored: Bool
        package let make: @Sendable (ViewModelContext) throws -> AnyObject
    }

    package private(set) var entries: [Entry] = []
    /// The scenes that can be opened by name, and the instance that each shows.
    package private(set) var scenes: [String: String?] = [:]
    package private(set) var services: [ObjectIdentifier: any Sendable] = [:]

    /// Makes an empty catalog.
    public init() {}

    /// Hosts a ViewModel type under its name.
    ///
    /// - Parameters:
    ///   - isRestored: whether instances come back with their named session after it ended.
    ///   - checksShapes: whether the shapes of all values are looked at now, a tenth of a millisecond or two for each
    ///     type of value; else when somebody first asks for them, who then gets an internal error where one cannot be told.
    ///     For types that a test has looked at, where the start of the daemon counts.
    ///   - make: wires a new instance; it does no I/O and runs on the session.
    /// - Throws: ``CatalogError`` when the name is taken or reserved, or the shape of a value cannot be told.
    public mutating func host<Type: ViewModel>(
        _ type: Type.Type,
        isRestored: Bool = true,
        checksShapes: Bool = true,
        _ make: @escaping @Sendable (ViewModelContext) throws -> Type
    ) throws(CatalogError) {
        let contract = HostedContract(of: type)
        if checksShapes { try Self.checkShapes(contract) }
        guard !Self.reserved.contains(contract.name) else {
            throw CatalogError(description: "\(type) is called \"\(contract.name)\", a name of the protocol's own")
        }
        if entries.contains(where: { $0.contract.name == contract.name }) {
            throw CatalogError(
                description: "two ViewModel types are called \"\(contract.name)\"; "
                    + "give one another name: @ViewModel(\"…\")"
            )
        }
        entries.append(Entry(contract: contract, isRestored: isRestored, make: make))
    }

    /// Finds the shapes of all values of all types.
    ///
    /// - Throws: ``CatalogError`` when one cannot be told.
    package func checkShapes() throws(CatalogError) {
        for entry in entries { try Self.checkShapes(entry.contract) }
    }

    private static func checkShapes(_ contract: HostedContract) throws(CatalogError) {
        do {
            try contract.checkShapes()
        } catch {
            throw CatalogError(description: "\(contract.name) cannot be hosted: \(error)")
        }
    }

    /// Registers a scene that can be opened by its name, with the instance that it shows.
    public mutating func scene(_ name: String, instance: String? = nil) {
        scenes[name] = .some(instance)
    }

    /// Provides a service to the ViewModels of all sessions; they find it by its type.
    public mutating func provide<Service: Sendable>(_ service: Service) {
        services[ObjectIdentifier(Service.self)] = service
    }

    package static let reserved: Set<String> = ["rpc", "session", "viewModel", "coordinator", "prompter", "daemon"]
}

/// A fault in a catalog, found at start.
public struct CatalogError: Error, CustomStringConvertible {
    /// What is wrong and what to do about it.
    public let description: String
}
