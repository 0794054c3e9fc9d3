public import ViewModelKit

/// An action in each of the states that its ViewModel can be in, called once and once more.
///
///     let matrix = ActionMatrix(\.actions.login, with: credentials) { try makeLogin() }
///         .given("nothing typed") { _ in }
///         .given("both typed") { login in
///             try login.send(\.inputs.account, "ada")
///             try login.send(\.inputs.password, "secret")
///         }
///     #expect(try matrix.rows() == [
///         .init("nothing typed", isEnabled: false, first: .disabled, second: .disabled, firstThen: .disabled),
///         .init("both typed", isEnabled: true, first: .pending, second: .executing, firstThen: .pending),
///     ])
///
/// Each state begins with a ViewModel of its own.
public struct ActionMatrix<Type: ViewModel> {
    /// What happened in one state.
    public struct Row: Equatable, Sendable {
        /// The state's name.
        public let state: String
        /// Whether clients saw the action enabled before the calls.
        public let isEnabled: Bool
        /// What the first caller was told at once.
        public let first: Answer
        /// What the second caller was told at once, while the first execution went on if it did.
        public let second: Answer
        /// What the first caller had been told when the second one had called.
        public let firstThen: Answer

        /// Makes the row that is expected.
        public init(_ state: String, isEnabled: Bool, first: Answer, second: Answer, firstThen: Answer) {
            self.state = state
            self.isEnabled = isEnabled
            self.first = first
            self.second = second
            self.firstThen = firstThen
        }
    }

    private struct State {
        let name: String
        let arrange: (Harness<Type>) throws -> Void
    }

    private let make: () throws -> Harness<Type>
    private let isEnabled: (Harness<Type>) throws -> Bool
    private let call: (Harness<Type>) throws -> () -> Answer
    private var states: [State] = []

    /// Makes the matrix of an action.
    ///
    /// - Parameter make: makes a ViewModel for one state.
    public init<Parameters: Encodable, Result>(
        _ action: KeyPath<Type, Action<Parameters, Result>>,
        with parameters: Parameters,
        _ make: @escaping () throws -> Harness<Type>
    ) {
        self.make = make
        isEnabled = { try $0.isEnabled(action) }
        call = { harness in
            let call = try harness.start(action, parameters)
            return { call.answer }
        }
    }

    /// Makes the matrix of an action without params.
    ///
    /// - Parameter make: makes a ViewModel for one state.
    public init<Result>(
        _ action: KeyPath<Type, Action<Void, Result>>,
        _ make: @escaping () throws -> Harness<Type>
    ) {
        self.make = make
        isEnabled = { try $0.isEnabled(action) }
        call = { harness in
            let call = harness.start(action)
            return { call.answer }
        }
    }

    /// Adds a state.
    ///
    /// - Parameters:
    ///   - state: its name, in words.
    ///   - arrange: puts a new ViewModel into it.
    public func given(_ state: String, _ arrange: @escaping (Harness<Type>) throws -> Void) -> ActionMatrix {
        var matrix = self
        matrix.states.append(State(name: state, arrange: arrange))
        return matrix
    }

    /// Runs through the states in the order in which they were added.
    ///
    /// - Throws: what the closures throw.
    public func rows() throws -> [Row] {
        try states.map { state in
            let harness = try make()
            try state.arrange(harness)
            let isEnabled = try isEnabled(harness)
            let firstAnswer = try call(harness)
            let first = firstAnswer()
            let secondAnswer = try call(harness)
            let second = secondAnswer()
            return Row(state.name, isEnabled: isEnabled, first: first, second: second, firstThen: firstAnswer())
        }
    }
}
