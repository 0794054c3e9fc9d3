import Synchronization
public import ViewModelKit
// Tests compare values of the protocol: JSON, pictures, patches.
@_exported public import ViewModelProtocol

/// One ViewModel under test, in a session without a socket, on virtual time, with a client that has bound it.
///
///     let calculator = try Harness(Calculator.self) { context in
///         Calculator(calculation: Calculation(CalculatorBrain()), prompter: context.prompter)
///     }
///     try calculator.send(\.inputs.press, .one)
///     try calculator.send(\.inputs.press, .add)
///     #expect(try calculator.read(\.outputs.led) == "1")
///     #expect(calculator.frames.last?.outputs == ["operations", "undo.enabled"])
///
/// Each call returns after the session has done all work that is ready.
///
/// Time passes only in ``advance(by:)``, and services answer only when the test completes an ``Effect``. Isolation: not
/// `Sendable`. After a suspension of the test itself, access the ViewModel through the harness again, because the test
/// may continue on another thread.
public final class Harness<Type: ViewModel> {
    /// The session around the ViewModel, for further clients and other instances.
    public let session: SessionHarness
    /// The client that has the ViewModel, its children, the coordinator and the prompter bound.
    public let client: TestClient
    /// The instance's id, which is the type's name unless ``open(_:id:arguments:windows:)`` got another one.
    public let id: String
    private let object: Type
    let members: MemberNames

    /// Hosts a ViewModel that the closure creates.
    ///
    /// - Parameters:
    ///   - type: the ViewModel's type.
    ///   - arguments: the arguments of `viewModel.open`.
    ///   - uid: the user to whom the session belongs.
    ///   - person: the person to whom the session belongs; nil for a Unix user.
    ///   - make: creates the ViewModel, with stubs of its services.
    /// - Throws: the error of `make`, or `CatalogError` when the type cannot be hosted.
    public convenience init(
        _ type: Type.Type,
        arguments: JSONValue? = nil,
        uid: UInt32 = 1000,
        person: User.Identity? = nil,
        _ make: @escaping @Sendable (ViewModelContext) throws -> Type
    ) throws {
        var catalog = ViewModelCatalog()
        // The host would log the error and not send it to clients.
        let failure = Mutex<(any Error)?>(nil)
        try catalog.host(type) { context in
            do {
                return try make(context)
            } catch {
                failure.withLock { $0 = error }
                throw error
            }
        }
        do {
            try self.init(type, in: catalog, arguments: arguments, uid: uid, person: person)
        } catch {
            throw failure.withLock { $0 } ?? error
        }
    }

    /// Hosts a ViewModel that is created from the types of its initialiser's parameters.
    ///
    ///     let weather = try Harness(Weather.self, providing: StubForecasts())
    ///
    /// - Parameters:
    ///   - type: the ViewModel's type.
    ///   - service: stubs of the services that the ViewModel and its models need.
    ///   - arguments: the arguments of `viewModel.open`.
    ///   - uid: the user to whom the session belongs.
    ///   - person: the person to whom the session belongs; nil for a Unix user.
    /// - Throws: `CatalogError` when a service is missing, or ``HarnessError`` when the ViewModel could not be created.
    public convenience init<each Service: Sendable>(
        _ type: Type.Type,
        providing service: repeat each Service,
        arguments: JSONValue? = nil,
        uid: UInt32 = 1000,
        person: User.Identity? = nil
    ) throws where Type: Injectable {
        var catalog = ViewModelCatalog()
        repeat catalog.provide(each service)
        try catalog.host(type)
        try self.init(type, in: catalog, arguments: arguments, uid: uid, person: person)
    }

    /// Hosts a ViewModel of a catalog, with the catalog's services and its other types.
    ///
    /// - Parameters:
    ///   - type: the ViewModel's type.
    ///   - catalog: types, scenes and services.
    ///   - arguments: the arguments of `viewModel.open`.
    ///   - uid: the user to whom the session belongs.
    ///   - person: the person to whom the session belongs; nil for a Unix user.
    /// - Throws: `CatalogError` when the catalog lacks what a ViewModel needs, or ``HarnessError`` when the ViewModel
    ///   could not be created.
    public convenience init(
        _ type: Type.Type,
        in catalog: ViewModelCatalog,
        arguments: JSONValue? = nil,
        uid: UInt32 = 1000,
        person: User.Identity? = nil
    ) throws {
        try catalog.check()
        try self.init(in: SessionHarness(catalog, uid: uid, person: person), arguments: arguments)
    }

    /// Connects a client to a session and binds an instance and what every session has.
    convenience init(
        in session: SessionHarness,
        id: String? = nil,
        arguments: JSONValue?,
        windows: [String: Window]? = nil
    ) throws {
        try self.init(of: session.connect(), in: session, id: id, arguments: arguments, windows: windows)
        for instance in ["coordinator", "prompter"] { try client.bind(instance) }
    }

    /// Binds an instance with a client.
    private init(
        of client: TestClient,
        in session: SessionHarness,
        id: String?,
        arguments: JSONValue?,
        windows: [String: Window]?
    ) throws {
        let name = Type.contract.name
        self.id = id ?? name
        self.session = session
        self.client = client
        do {
            if id != nil || arguments != nil {
                var params: JSONObject = ["type": .string(name), "id": .string(self.id)]
                params["arguments"] = arguments
                try client.request(ViewModelOpen.name, .object(params))
            }
            object = try client.viewModel(self.id)
        } catch let error as ProtocolError {
            throw HarnessError("\(name) could not be made: \(session.explained(error))")
        }
        members = MemberNames(of: object, at: self.id)
        do {
            for instance in members.instances {
                try client.bind(instance, windows: instance == self.id ? windows : nil)
            }
        } catch let error as ProtocolError {
            throw HarnessError("\(self.id) could not be bound: \(session.explained(error))")
        }
    }

    /// Returns a harness for another ViewModel of the same session.
    ///
    /// Both harnesses have the same client, so ``exhaustively(_:)`` of one covers both.
    ///
    ///     let library = try Harness(Library.self, in: catalog)
    ///     let player = try library.open(Player.self)
    ///     try player.send(\.inputs.enqueue, 7)
    ///
    /// - Parameters:
    ///   - type: the ViewModel's type, which the catalog hosts.
    ///   - id: the id of the instance, by default that of the type's default instance.
    ///   - arguments: the arguments of `viewModel.open`.
    ///   - windows: the windows of lists that the client binds, by output. Without one it binds the whole list.
    /// - Returns: the harness.
    /// - Throws: ``HarnessError`` when the ViewModel could not be created, or is not hosted, or when `windows` names
    ///   something other than its lists.
    public func open<Other: ViewModel>(
        _ type: Other.Type,
        id: String? = nil,
        arguments: JSONValue? = nil,
        windows: [String: Window]? = nil
    ) throws -> Harness<Other> {
        try Harness<Other>(of: client, in: session, id: id, arguments: arguments, windows: windows)
    }

    /// The ViewModel itself.
    ///
    /// A read first lets the session do all work that is ready.
    public var viewModel: Type {
        session.runUntilIdle()
        return object
    }

    // MARK: Time

    /// Advances virtual time.
    ///
    /// Timers run at their times, in the order in which they are due.
    public func advance(by duration: Duration) {
        session.advance(by: duration)
    }

    /// Waits for work outside of the session until a condition holds.
    ///
    /// See ``SessionHarness/wait(until:)``.
    ///
    /// - Parameter condition: returns whether the wait is over.
    /// - Throws: the error of `condition`, `CancellationError` when the test is cancelled, for example by its time limit,
    ///   or ``HarnessError`` when a mistake has ended the session.
    public func wait(until condition: () throws -> Bool) async throws {
        try await session.wait {
            try checkSession()
            return try condition()
        }
    }
}
