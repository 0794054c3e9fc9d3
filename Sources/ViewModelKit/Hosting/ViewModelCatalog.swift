package import JSONRPC

/// The ViewModel types, scenes and services that a daemon hosts.
///
///     var catalog = ViewModelCatalog()
///     catalog.provide(HTTPForecasts())
///     try catalog.host(Settings.self, Weather.self)
public struct ViewModelCatalog: Sendable {
    package struct Entry: Sendable {
        package let contract: HostedContract
        package let isRestored: Bool
        /// Whether `rpc.discover` lists the type.
        package let isDescribed: Bool
        package let make: @Sendable (ViewModelContext) throws -> AnyObject
        /// The Swift name of the type and what its factory needs, or nil for a factory that the author wrote.
        let needs: (@Sendable () -> (name: String, dependencies: [Dependency]))?
    }

    package private(set) var entries: [Entry] = []
    /// The scenes that clients can open by name, with the id of the instance that each one shows.
    package private(set) var scenes: [ExactString: String?] = [:]
    /// The values that classes save as another daemon's contract describes them; nil to describe those of this daemon.
    package var savedValues: JSONValue?
    package private(set) var services: [ObjectIdentifier: any Sendable] = [:]
    /// The components that the contract has, even if no value refers to them.
    package private(set) var definitions: [(name: String, schema: JSONValue)] = []
    /// The factories of the models that ``share(_:)`` registers, by the types of the models.
    package private(set) var models: [ObjectIdentifier: @Sendable (ViewModelContext) throws -> AnyObject] = [:]

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
        try host(type.contract.hosted, isRestored: isRestored, make)
    }

    /// Hosts ViewModel types that are created from the types of their initialiser's parameters.
    ///
    /// What they need may be registered later. The daemon's start reports what is missing.
    ///
    /// - Parameters:
    ///   - type: the types.
    ///   - isRestored: whether the instances are part of the saved session.
    /// - Throws: ``CatalogError`` when a name is taken or reserved.
    public mutating func host<each Type: ViewModel & Injectable>(
        _ type: repeat (each Type).Type,
        isRestored: Bool = true
    ) throws(CatalogError) {
        for type in repeat each type {
            try host(
                type.contract.hosted,
                isRestored: isRestored,
                needs: { ("\(type)", type.dependencies) },
                { try type.make(in: $0) }
            )
        }
    }

    /// Hosts a contract, whose objects need not have a `ViewModel` type of their own.
    package mutating func host(
        _ contract: HostedContract,
        isRestored: Bool,
        isDescribed: Bool = true,
        needs: (@Sendable () -> (name: String, dependencies: [Dependency]))? = nil,
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
        entries.append(
            Entry(contract: contract, isRestored: isRestored, isDescribed: isDescribed, make: make, needs: needs)
        )
    }

    /// Registers a scene that clients can open by its name, with the id of the instance that it shows.
    public mutating func scene(_ name: String, instance: String? = nil) {
        scenes[ExactString(name)] = .some(instance)
    }

    /// Adds components to the contract.
    package mutating func define(_ definitions: [(name: String, schema: JSONValue)]) {
        self.definitions += definitions
    }

    /// Registers the scenes of an enum, which clients can open by their names.
    public mutating func scenes<Name: SceneName>(_ names: Name.Type) {
        for name in names.allCases { scene(name.rawValue, instance: name.instance) }
    }

    /// Provides a service to the ViewModels of all sessions.
    ///
    /// They find it by its type, or by a protocol to which no other service conforms.
    public mutating func provide<Service: Sendable>(_ service: Service) {
        services[ObjectIdentifier(Service.self)] = service
    }

    /// Registers a model that the ViewModels of a session share.
    ///
    /// A class with `@SharedModel` needs no registration. If it has one, this factory replaces that of the class.
    ///
    /// - Parameter make: creates the model of a session when the first ViewModel needs it. It runs on the session.
    public mutating func share<Model: AnyObject>(_ make: @escaping @Sendable (ViewModelContext) throws -> Model) {
        models[ObjectIdentifier(Model.self)] = make
    }

    /// Checks that the catalog has what its ViewModels need.
    ///
    /// A server does this when it is created.
    ///
    /// - Throws: ``CatalogError``, which names each ViewModel, the type that it lacks, and the remedy.
    public func check() throws(CatalogError) {
        var check = CatalogCheck(of: self)
        for entry in entries {
            guard let needs = entry.needs?() else { continue }
            check.check(needs.name, needs.dependencies)
        }
        check.checkSavedValues(of: entries.map(\.contract), sharedModels)
        if !check.faults.isEmpty { throw CatalogError(description: check.faults.joined(separator: "\n")) }
    }

    /// The shared models that the ViewModels need, as far as their factories tell.
    package var sharedModels: [any SharedModel.Type] {
        var open = entries.flatMap { $0.needs?().dependencies ?? [] }
        var (known, found): (Set<ObjectIdentifier>, [any SharedModel.Type]) = ([], [])
        while let next = open.popLast() {
            guard let made = next.made, known.insert(next.id).inserted else { continue }
            open += made.dependencies
            if let model = made as? any SharedModel.Type { found.append(model) }
        }
        return found
    }

    /// The owners of the shared models' values, with their former names; nil if a factory does not tell what it needs.
    package var sharedOwners: Set<String>? {
        guard models.isEmpty, entries.allSatisfy({ $0.needs != nil }) else { return nil }
        return Set(sharedModels.flatMap { [$0.owner] + $0.formerOwners })
    }

    package static let reserved: Set<String> = ["rpc", "session", "viewModel", "coordinator", "prompter", "daemon"]
}

/// A fault in a catalog, which the daemon's start or the factory of a ViewModel reports.
public struct CatalogError: Error, CustomStringConvertible {
    /// The fault and its remedy.
    public let description: String

    package init(description: String) { self.description = description }
}
