internal import Logging

/// A class that a catalog creates from the types of its initialiser's parameters.
///
/// `@ViewModel` and ``SharedModel(formerly:)`` add the conformance if the class has one initialiser, or none, and each parameter
/// has a plain type. A parameter is one of these:
///
/// - ``Coordinator``, ``Prompter``, ``SessionClock``, ``Instances``, ``User``, ``ViewModelContext`` or a `Logger` of
///   swift-log;
/// - the nested `Arguments` of a ViewModel, which is read from the arguments of `viewModel.open`;
/// - a ViewModel, which is created as a child; a constant of a class without an `init` has `@Child`;
/// - a ``SharedModel``, or a type of ``ViewModelCatalog/share(_:)``: the object that the ViewModels of the session share;
/// - a service, which ``ViewModelCatalog/provide(_:)`` registers. The parameter's type may be a protocol of the service.
///
/// A parameter with a default value is left out.
public protocol Injectable: AnyObject, SendableMetatype {
    /// The parameters that the catalog has to supply.
    static var dependencies: [Dependency] { get }

    /// Creates an object and its wiring.
    ///
    /// - Parameter context: the session.
    /// - Returns: the object.
    /// - Throws: ``CatalogError``, or the error of the initialiser.
    static func make(in context: ViewModelContext) throws -> Self
}

/// A model that the ViewModels of a session share, and that the first of them creates.
///
/// The macro of the same name adds the conformance.
public protocol SharedModel: Injectable, PlacedMembers, SavingValues {}

/// Makes a final class a model that the ViewModels of a session share.
///
/// A ViewModel gets it by a parameter of its initialiser. The model gets services and other models in the same way.
///
///     @SharedModel
///     final class Playback {
///         @State private(set) var current: Episode?
///         private let clock: SessionClock
///     }
///
/// The macro writes the `init` of a class without one. It sets the constants that have no value.
///
/// - Parameter former: the names of the class under which its values were saved: those in the source, with the module if
///   the class was in another one.
@attached(member, names: named(init))
@attached(
    extension,
    conformances: SharedModel,
    names: named(dependencies),
    named(make),
    named(memberPlaces),
    named(savedValues),
    named(formerNames),
    named(checkMembers)
)
public macro SharedModel(formerly former: String...) =
    #externalMacro(module: "ViewModelMacros", type: "SharedModelMacro")

/// A service that a feature of the daemon provides.
package protocol DaemonService: Sendable {
    /// What provides it, as an instruction, for the error of a catalog that lacks it.
    static var provision: String { get }
}

/// A parameter of an ``Injectable`` class, which the catalog supplies.
///
/// `@ViewModel` and `@SharedModel` generate one for each parameter.
public struct Dependency {
    /// The type if the session makes the object, a model or a child, or nil.
    private(set) var made: (any Injectable.Type)?
    /// Returns whether a service has the type.
    let fits: (any Sendable) -> Bool
    private let type: Any.Type
    private let nameInSource: String?

    private init<Value>(_ type: Value.Type, named name: String?, made: (any Injectable.Type)?) {
        self.type = type
        nameInSource = name
        self.made = made
        fits = { $0 is Value }
    }

    /// The parameter for a constant that is no child: its ViewModel is not created.
    public var notChild: Dependency {
        var other = self
        if made is any ViewModel.Type { other.made = nil }
        return other
    }

    var id: ObjectIdentifier { ObjectIdentifier(type) }
    var isClass: Bool { type is AnyObject.Type }
    var isViewModel: Bool { type is any ViewModel.Type }

    /// The instruction that provides a service of a feature, or nil for another type.
    var provision: String? { (type as? any DaemonService.Type)?.provision }

    /// The type as the source names it.
    ///
    /// The name is made when it is needed. Where the optimiser knows the type, it writes the name of a private type
    /// with a mark of its file.
    var name: String { nameInSource ?? "\(type)" }

    /// The objects that each session has, by their types.
    static let ofSession: [ObjectIdentifier: @Sendable (ViewModelContext) -> Any] = [
        ObjectIdentifier(Coordinator.self): { $0.coordinator },
        ObjectIdentifier(Prompter.self): { $0.prompter },
        ObjectIdentifier(SessionClock.self): { $0.clock },
        ObjectIdentifier(Instances.self): { $0.instances },
        ObjectIdentifier(User.self): { $0.user },
        ObjectIdentifier(ViewModelContext.self): { $0 },
        ObjectIdentifier(Logger.self): { $0.logger },
    ]

    /// Declares a parameter for an object of the session, for a service, or for a model of
    /// ``ViewModelCatalog/share(_:)``.
    ///
    /// - Parameters:
    ///   - type: the type of the parameter.
    ///   - name: the type in the source, such as `any Forecasts`.
    public init<Value>(_ type: Value.Type, named name: String? = nil) {
        self.init(type, named: name, made: nil)
    }

    /// Declares a parameter for a shared model.
    public init<Model: SharedModel>(_ type: Model.Type) {
        self.init(type, named: nil, made: type)
    }

    /// Declares a parameter for a child, or for the coordinator or the prompter of the session.
    public init<Child: ViewModel & Injectable>(_ type: Child.Type) {
        self.init(type, named: nil, made: Self.ofSession[ObjectIdentifier(type)] == nil ? type : nil)
    }
}

extension ViewModelContext {
    /// Returns the coordinator, the prompter, the clock, the instances, the user, the logger, this context, the service of a
    /// type, or the model that the ViewModels of the session share.
    ///
    /// - Parameter type: the type of a parameter.
    /// - Returns: the object.
    /// - Throws: ``CatalogError``, or the error of the model's factory.
    public func resolve<Value>(_ type: Value.Type) throws -> Value {
        let own = Dependency.ofSession[ObjectIdentifier(type)]?(self) as? Value
        if let value = try own ?? registeredModel(type) as? Value ?? session.find(type) { return value }
        throw CatalogError(
            description: "\(typeName) needs the service \(type), which the catalog does not have; "
                + "call catalog.provide(…) before the daemon starts"
        )
    }

    /// Returns the model that the ViewModels of the session share, and creates it if this is the first call.
    ///
    /// - Parameter type: the model's type.
    /// - Returns: the model.
    /// - Throws: ``CatalogError``, or the error of the model's initialiser.
    public func resolve<Model: SharedModel>(_ type: Model.Type) throws -> Model {
        if let model = try registeredModel(type) as? Model { return model }
        return try shared { try Model.make(in: self) }
    }

    /// Returns a new child, which gets its parameters in the same way, or the coordinator or the prompter of the session.
    ///
    /// - Parameter type: the child's type.
    /// - Returns: the child.
    /// - Throws: ``CatalogError``, or the error of the child's initialiser.
    public func resolve<Child: ViewModel & Injectable>(_ type: Child.Type) throws -> Child {
        try Dependency.ofSession[ObjectIdentifier(type)]?(self) as? Child ?? Child.make(in: self)
    }
}
