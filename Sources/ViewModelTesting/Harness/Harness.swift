public import ViewModelKit

/// One ViewModel under test: in a session without a socket, on virtual time, with a client that has it bound.
///
///     let calculator = try Harness(Calculator.self) { context in
///         Calculator(calculation: Calculation(CalculatorBrain()), prompter: context.prompter)
///     }
///     try calculator.send(\.inputs.press, .one)
///     try calculator.send(\.inputs.press, .plus)
///     #expect(try calculator.read(\.outputs.led) == "1")
///     #expect(calculator.frames.last?.outputs == ["operations", "undo.enabled"])
///
/// Whatever is asked of it returns when the session has done all that could be done at once. Nothing happens by
/// itself: time passes in ``advance(by:)``, services answer when the test completes an ``Effect``. Isolation: not
/// `Sendable`; after an `await` of its own a test reaches the ViewModel through the harness again.
public final class Harness<Type: ViewModel> {
    /// The session around the ViewModel, for further clients and other instances.
    public let session: SessionHarness
    /// The client that has the ViewModel, its children, the coordinator and the prompter bound.
    public let client: TestClient
    /// The instance's id: the type's name.
    public let id: String
    private let object: Type
    private let members: MemberNames

    /// Runs a ViewModel that the closure makes.
    ///
    /// - Parameters:
    ///   - type: the ViewModel's type.
    ///   - arguments: what `viewModel.open` would be given.
    ///   - uid: the user whose session it is.
    ///   - make: wires the ViewModel; stubs of services come in here.
    /// - Throws: what `make` throws; `CatalogError` when the type cannot be hosted.
    public convenience init(
        _ type: Type.Type,
        arguments: JSONValue? = nil,
        uid: UInt32 = 1000,
        _ make: @escaping @Sendable (ViewModelContext) throws -> Type
    ) throws {
        var catalog = ViewModelCatalog()
        let failure = Failure()
        try catalog.host(type) { context in
            do {
                return try make(context)
            } catch {
                failure.record(error)
                throw error
            }
        }
        do {
            try self.init(type, in: catalog, arguments: arguments, uid: uid)
        } catch {
            throw failure.error ?? error
        }
    }

    /// Runs a ViewModel of a catalog, with the catalog's services and the other types beside it.
    ///
    /// - Throws: ``HarnessError`` when it could not be made.
    public init(
        _ type: Type.Type,
        in catalog: ViewModelCatalog,
        arguments: JSONValue? = nil,
        uid: UInt32 = 1000
    ) throws {
        id = Type.contract.name
        session = try SessionHarness(catalog, uid: uid)
        client = try session.connect()
        do {
            if let arguments {
                let params: JSONValue = ["type": .string(id), "id": .string(id), "arguments": arguments]
                try client.request(ViewModelOpen.name, params)
            }
            object = try client.viewModel(id)
        } catch let error as ProtocolError {
            throw HarnessError("\(id) could not be made: \(session.explained(error))")
        }
        members = MemberNames(of: object, at: id)
        for instance in members.instances + ["coordinator", "prompter"] {
            try client.bind(instance)
        }
    }

    /// The ViewModel itself, when everything has been done that could be done at once.
    public var viewModel: Type {
        session.settle()
        return object
    }

    // MARK: Time

    /// Lets virtual time pass; timers run at their times, in the order in which they are due.
    public func advance(by duration: Duration) {
        session.advance(by: duration)
    }

    /// Waits until a condition holds, while work goes on outside of the session; see ``SessionHarness/wait(until:)``.
    ///
    /// - Throws: `CancellationError` when the test is cancelled, by its time limit for instance.
    public func wait(until condition: () throws -> Bool) async throws {
        try await session.wait(until: condition)
    }

    /// The wire's name of an output or an action of the ViewModel, or of a child.
    func name(of member: AnyObject) throws(HarnessError) -> MemberNames.Place { try members.place(of: member) }

    /// The instances of the ViewModel and its children.
    var instances: [String] { members.instances }
}
