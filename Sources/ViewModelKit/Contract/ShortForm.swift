/// The place where a value is kept when its session has ended.
public enum Persistence: Sendable {
    /// The value is saved with a named session and restored with it.
    ///
    /// Its name is that of the property. A ViewModel and its children share one set of names, and each shared model has one.
    /// A name that stands twice ends the session. Use ``Cell/init(_:restoring:formerly:in:)`` for a value that needs another name.
    case session
    /// The value is saved for the user: all sessions of the user have it at once.
    case user
    /// The value is saved for the daemon: all sessions of all users have it at once.
    case daemon
}

/// Makes a property a part of the session's state, so that outputs depend on it.
///
/// Clients do not see it. Write it in a ViewModel or in a class that ViewModels share. A peer `$name` is the ``Cell``, or
/// the ``ListCell`` of a `Rows`. Reading and writing the property costs what reading and writing the cell costs.
///
///     @State(.session) private var brain = CalculatorBrain()
///
/// - Parameters:
///   - persistence: where the value is kept when the session has ended; nil to forget it.
///   - former: the names that the property had when the value was saved. Its value is taken over from the first of them
///     that has one.
@attached(accessor, names: named(init), named(get), named(set), named(_modify))
@attached(peer, names: prefixed(`$`))
public macro State(_ persistence: Persistence? = nil, formerly former: String...) =
    #externalMacro(module: "ViewModelMacros", type: "ViewModelMemberMacro")

/// Declares a field: an input and an output of the same name (protocol, section 6).
///
/// A client that sends the input sets the property. The ViewModel may also change it. A peer `$name` is the ``Cell``.
///
///     /// The town, as it is typed.
///     @Field var town = ""
///
/// - Parameters:
///   - persistence: where the value is kept when the session has ended; nil to forget it.
///   - former: the names that the property had when the value was saved. Its value is taken over from the first of them
///     that has one.
@attached(accessor, names: named(init), named(get), named(set), named(_modify))
@attached(peer, names: prefixed(`$`))
public macro Field(_ persistence: Persistence? = nil, formerly former: String...) =
    #externalMacro(module: "ViewModelMacros", type: "ViewModelMemberMacro")

/// Declares a field as ``Field(_:formerly:)``, whose input has a check.
///
/// `check` throws ``InvalidValue`` to refuse a value that a client sends. It is not called when the ViewModel writes the
/// property.
@attached(accessor, names: named(init), named(get), named(set), named(_modify))
@attached(peer, names: prefixed(`$`))
public macro Field<Value>(
    _ persistence: Persistence? = nil,
    formerly former: String...,
    check: (Value) throws -> Void
) =
    #externalMacro(module: "ViewModelMacros", type: "ViewModelMemberMacro")

/// Declares an output.
///
/// A stored property is a state that the ViewModel writes; of the type `Rows<Row>` it is a list whose edits clients get.
/// A computed property is derived: it is computed again after a value that it has read has changed. A computed `Rows<Row>`
/// shows the list that it returns when the instance is created. A peer `$name` of a stored property is the ``Cell`` or the ``ListCell``.
///
///     /// What was found last, null before.
///     @Output private(set) var forecast: Forecast?
///     /// For people.
///     @Output var summary: String { forecast.map(\.text) ?? "–" }
///     /// All towns, the oldest first.
///     @Output var towns: Rows<Town> = []
///
/// - Parameters:
///   - persistence: where a stored value is kept when the session has ended; nil to forget it.
///   - former: the names that the property had when the value was saved. Its value is taken over from the first of them
///     that has one.
@attached(accessor, names: named(init), named(get), named(set), named(_modify))
@attached(peer, names: prefixed(`$`))
public macro Output(_ persistence: Persistence? = nil, formerly former: String...) =
    #externalMacro(module: "ViewModelMacros", type: "ViewModelMemberMacro")

/// Declares an output whose value changes with time, such as the position of a player: a computed property.
///
/// The value is computed before it is read or bound, after a value that it has read has changed, and repeatedly while a
/// client has bound the output.
///
///     /// The time since the start in seconds.
///     @Output(every: .seconds(1)) var age: Int { Int((clock.now - started) / .seconds(1)) }
///
/// - Parameter interval: the time between two samples on the session's clock.
@attached(accessor, names: named(init), named(get), named(set), named(_modify))
@attached(peer, names: prefixed(`$`))
public macro Output(every interval: Duration) = #externalMacro(module: "ViewModelMacros", type: "ViewModelMemberMacro")

/// Declares an output whose value changes with time while a condition holds: a computed property.
///
///     /// The position in seconds.
///     @Output(every: .seconds(1), while: \Player.isPlaying) var position: Int { playback.position }
///
/// - Parameters:
///   - interval: the time between two samples on the session's clock.
///   - condition: the property that is true while the value changes. Swift needs the name of the class in the key path.
@attached(accessor, names: named(init), named(get), named(set), named(_modify))
@attached(peer, names: prefixed(`$`))
public macro Output<Owner>(every interval: Duration, while condition: KeyPath<Owner, Bool>) =
    #externalMacro(module: "ViewModelMacros", type: "ViewModelMemberMacro")

/// Declares a derived list: a computed array of rows with unique ids.
///
/// Clients get its changes. The array is computed again after a value that it has read has changed, and compared with the
/// former one by the rows' ids. While no client has bound the list, nothing is computed.
///
///     /// The rows of the wallet.
///     @Rows var wallet: [WalletRow] { WalletRow.rows(of: page) }
@attached(peer)
public macro Rows() = #externalMacro(module: "ViewModelMacros", type: "ViewModelMemberMacro")

/// Declares a derived list whose rows are shown as other values: a computed array of values with unique ids.
///
/// The values of the array are compared. Shown rows are made only for clients: those in a window, those of a difference
/// that is sent, or all rows for a client that has bound the whole list. While no client has bound the list, nothing is
/// computed.
///
///     /// The episodes whose titles contain the searched text.
///     @Rows(of: Row.init) var found: [Episode] { episodes.filter { $0.title.contains(search) } }
///
/// - Parameter row: the initialiser of a shown row. The row has the id of its value and depends on nothing else.
@attached(peer)
public macro Rows<Source, Row>(of row: (Source) -> Row) =
    #externalMacro(module: "ViewModelMacros", type: "ViewModelMemberMacro")

/// Declares an event, which a peer `$name` sends.
///
///     /// A new forecast has come.
///     @Event var arrived: String
///
///     $arrived.send("Bonn")
///
/// A computed property shows the event of a shared model, which each of its ViewModels sends to its own clients:
///
///     /// The bell rings.
///     @Event var rang: Event<Int> { bell.rang }
@attached(accessor, names: named(get))
@attached(peer, names: prefixed(`$`))
public macro Event() = #externalMacro(module: "ViewModelMacros", type: "ViewModelMemberMacro")

/// Declares a child: a ViewModel that is a part of this one.
///
///     /// The header with the signed-in user.
///     @Child let header: MineHeader
@attached(peer)
public macro Child() = #externalMacro(module: "ViewModelMacros", type: "ViewModelMemberMacro")

/// Declares an input: a function that clients call with a value and that ends within one step.
///
/// A function that throws ``InvalidValue`` before it changes anything refuses the value. A single parameter without a label
/// is the value itself. Other parameters are the members of an object. A peer `$name` is the ``Input``.
///
///     /// Removes a town.
///     @Input func remove(_ id: Int) throws { try towns.remove(id: id) }
@attached(peer, names: prefixed(`$`))
public macro Input() = #externalMacro(module: "ViewModelMacros", type: "ViewModelMemberMacro")

/// When an action of the short form runs by itself: the argument `runs` of `@Action`, or an array of several reasons.
///
/// The macro writes an ``ActionRuns`` from its source text. The same checks apply as for a client's call, but a run waits while
/// the gate is closed.
public struct ActionTrigger: ExpressibleByArrayLiteral {
    /// Only when it is called.
    public static var whenCalled: ActionTrigger { [] }
    /// Once after the instance was created or restored, after the step that creates it.
    public static var atOpen: ActionTrigger { [] }

    /// After each step that has changed a property, in a step of its own.
    ///
    ///     @Action(.latest, runs: .onChange(of: \Weather.town, after: .milliseconds(500)))
    ///
    /// - Parameters:
    ///   - property: a field, a state or a computed property. It is tracked by what it reads. A restored value is no
    ///     change. Swift needs the name of the class in the key path.
    ///   - interval: the time for which the value has to stay unchanged on the session's clock.
    /// - Returns: the reason.
    public static func onChange<Owner, Value: Equatable>(
        of property: KeyPath<Owner, Value>,
        after interval: Duration = .zero
    ) -> ActionTrigger { [] }

    /// While a property is true: when it becomes true, also at first and after a restoration.
    ///
    ///     @Action(.queued, runs: .while(\Lobby.isSignedIn)) private func receive() async throws { … }
    ///
    /// When it becomes false, all executions are cancelled. A run that has ended by itself begins with the next change.
    ///
    /// - Parameter property: a field, a state or a computed property. Swift needs the name of the class in the key path.
    /// - Returns: the reason.
    public static func `while`<Owner>(_ property: KeyPath<Owner, Bool>) -> ActionTrigger { [] }

    /// Creates the union of several reasons.
    public init(arrayLiteral elements: ActionTrigger...) {}
}

/// Declares an action: a function that clients call and that ends with a result or an error.
///
/// Clients do not see a private function. Only the ViewModel runs it, for example with `runs` or with `$deliver.run()`.
/// `$deliver.isExecuting` and `$deliver.failure` are its state for outputs.
///
/// An `async` function may suspend. Each of its stretches is a step of the session. A last parameter of the type
/// ``Execution`` reports the progress. A single other parameter without a label is the value itself. Other parameters are
/// the members of an object. A peer `$name` is the ``Action``, for example for `$look.run()`.
///
///     /// Looks the typed town up; a newer look-up takes the older one's place.
///     @Action(.latest)
///     func look() async throws -> Forecast { … }
///
/// - Parameters:
///   - policy: the effect of a call while another one executes.
///   - id: the name of the parameter that identifies an execution. The peer is then a ``ListedAction``, which lists and
///     cancels single executions.
///   - runs: when the action runs by itself.
@attached(peer, names: prefixed(`$`))
public macro Action(
    _ policy: ActionPolicy = .exclusive,
    id: StaticString? = nil,
    runs: ActionTrigger = .whenCalled
) =
    #externalMacro(module: "ViewModelMacros", type: "ViewModelMemberMacro")

/// Declares an action as ``Action(_:id:runs:)``, with a gate.
///
///     @Action(.latest, enabled: \Weather.canLook)
///     func look() async throws -> Forecast { … }
///
///     private var canLook: Bool { !town.isEmpty }
///
/// The property `enabled` is true while calls are admitted. Swift needs the name of the class in the key path.
@attached(peer, names: prefixed(`$`))
public macro Action<Owner>(
    _ policy: ActionPolicy = .exclusive,
    enabled: KeyPath<Owner, Bool>,
    id: StaticString? = nil,
    runs: ActionTrigger = .whenCalled
) =
    #externalMacro(module: "ViewModelMacros", type: "ViewModelMemberMacro")

/// A list of rows with unique ids that records its edits: the type of a list in the short form.
public typealias Rows<Row: Identifiable & Equatable> = ListCell<Row>

/// The session in which a ViewModel of the short form was created, and in which it creates its members.
///
/// `@ViewModel` generates the property.
public struct MemberWiring {
    private let graph = Graph.current
    private let scope = Graph.current.taskScope

    /// Creates the wiring during the `init` of a ViewModel.
    public init() {}

    /// Runs `make` in the wiring of the session.
    public func callAsFunction<Group>(_ make: () -> Group) -> Group { graph.wiring(scope, make) }

    /// Makes a computed output or its signal, which the log of a trap names.
    public func callAsFunction<Member>(_ name: StaticString, _ make: () -> Member) -> Member {
        graph.making(name, make)
    }

    /// Returns the signal of a derived list, which its output compares.
    public func rows<Row>(_ compute: @escaping () -> [Row]) -> Signal<[Row]> {
        Derived(on: .current, isEqual: nil, compute)
    }

    /// Returns the signal of a value that changes with time.
    public func sampled<Value: Equatable>(
        every interval: Duration,
        while condition: Signal<Bool>? = nil,
        _ compute: @escaping () -> Value
    ) -> Signal<Value> {
        Sampled(Sampling(every: interval, while: condition), compute)
    }
}
