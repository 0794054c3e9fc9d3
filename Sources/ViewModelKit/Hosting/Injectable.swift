/// A class that a catalog creates from the types of its initialiser's parameters.
///
/// `@ViewModel` and ``SharedModel()`` add the conformance if the class has one initialiser, or none, and each parameter
/// has a plain type. A parameter is one of these:
///
/// - ``Coordinator``, ``Prompter``, ``SessionClock`` or ``ViewModelContext``;
/// - the nested `Arguments` of a ViewModel, which is read from the arguments of `viewModel.open`;
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
    /// - Throws: ``MissingService``, or the error of the initialiser.
    static func make(in context: ViewModelContext) throws -> Self
}

/// A model that the ViewModels of a session share, and that the first of them creates.
///
/// The macro of the same name adds the conformance.
public protocol SharedModel: Injectable, PlacedMembers {}

/// Makes a final class a model that the ViewModels of a session share.
///
/// A ViewModel gets it by a parameter of its initialiser. The model gets services and other models in the same way.
///
///     @SharedModel
///     final class Playback {
///         @State private(set) var current: Episode?
///         private let clock: SessionClock
///         init(clock: SessionClock) { self.clock = clock }
///     }
@attached(
    extension,
    conformances: SharedModel,
    names: named(dependencies),
    named(make),
    named(memberPlaces),
    named(checkMembers)
)
public macro SharedModel() = #externalMacro(module: "ViewModelMacros", type: "SharedModelMacro")

/// A service that a feature of the daemon provides.
package protocol DaemonService: Sendable {
    /// What provides it, as an instruction, for the error of a catalog that lacks it.
    static var provision: String { get }
}

/// A parameter of an ``Injectable`` class, which the catalog supplies.
///
/// `@ViewModel` and `@SharedModel` generate one for each parameter.
public struct Dependency {
    /// The origin of the parameter's value.
    enum Source {
        /// Each session has it.
        case session
        /// A model that creates itself.
        case model(any SharedModel.Type)
        /// A service, or a model that the catalog creates.
        case catalog(isClass: Bool, fits: (any Sendable) -> Bool)
    }

    let source: Source
    private let type: Any.Type
    private let nameInSource: String?

    private init(_ type: Any.Type, named name: String? = nil, _ source: Source) {
        self.type = type
        nameInSource = name
        self.source = source
    }

    var id: ObjectIdentifier { ObjectIdentifier(type) }

    /// The instruction that provides a service of a feature, or nil for another type.
    var provision: String? { (type as? any DaemonService.Type)?.provision }

    /// The type as the source names it.
    ///
    /// The name is made when it is needed. Where the optimiser knows the type, it writes the name of a private type
    /// with a mark of its file.
    var name: String { nameInSource ?? "\(type)" }

    /// Declares a parameter for a service, or for a model of ``ViewModelCatalog/share(_:)``.
    ///
    /// - Parameters:
    ///   - type: the type of the parameter.
    ///   - name: the type in the source, such as `any Forecasts`.
    public init<Value>(_ type: Value.Type, named name: String? = nil) {
        self.init(type, named: name, .catalog(isClass: type is AnyObject.Type) { $0 is Value })
    }

    /// Declares a parameter for a shared model.
    public init<Model: SharedModel>(_ type: Model.Type) {
        self.init(type, .model(type))
    }

    /// Declares a parameter for the coordinator.
    public init(_ type: Coordinator.Type) {
        self.init(type, .session)
    }

    /// Declares a parameter for the prompter.
    public init(_ type: Prompter.Type) {
        self.init(type, .session)
    }

    /// Declares a parameter for the session's clock.
    public init(_ type: SessionClock.Type) {
        self.init(type, .session)
    }

    /// Declares a parameter for the context itself.
    public init(_ type: ViewModelContext.Type) {
        self.init(type, .session)
    }
}

extension ViewModelContext {
    /// Returns the service of a type, or the model that the ViewModels of the session share.
    ///
    /// - Parameter type: the type of a parameter.
    /// - Returns: the service or the model.
    /// - Throws: ``MissingService``, or the error of the model's factory.
    public func resolve<Value>(_ type: Value.Type) throws -> Value {
        if let model = try registeredModel(type) as? Value { return model }
        return try provided(type)
    }

    /// Returns the model that the ViewModels of the session share, and creates it if this is the first call.
    ///
    /// - Parameter type: the model's type.
    /// - Returns: the model.
    /// - Throws: ``MissingService``, or the error of the model's initialiser.
    public func resolve<Model: SharedModel>(_ type: Model.Type) throws -> Model {
        if let model = try registeredModel(type) as? Model { return model }
        return try shared { try Model.make(in: self) }
    }

    /// Returns the navigation of this session.
    public func resolve(_ type: Coordinator.Type) throws -> Coordinator { coordinator }

    /// Returns the prompts and hints of this session.
    public func resolve(_ type: Prompter.Type) throws -> Prompter { prompter }

    /// Returns the session's clock.
    public func resolve(_ type: SessionClock.Type) throws -> SessionClock { clock }

    /// Returns this context.
    public func resolve(_ type: ViewModelContext.Type) throws -> ViewModelContext { self }
}
