public import ViewModelKit

/// A table of an action's behavior, with two calls in each state of its ViewModel.
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
/// Each state starts with a new ViewModel.
public struct ActionMatrix<Type: ViewModel> {
    /// The result for one state.
    public struct Row: Equatable, Sendable {
        /// The state's name.
        public let state: String
        /// Whether clients saw the action enabled before the calls.
        public let isEnabled: Bool
        /// The first caller's answer after its call.
        public let first: Answer
        /// The second caller's answer after its call, made while the first execution continues if it has not ended.
        public let second: Answer
        /// The first caller's answer after the second call.
        public let firstThen: Answer

        /// Creates an expected row.
        public init(_ state: String, isEnabled: Bool, first: Answer, second: Answer, firstThen: Answer) {
            self.state = state
            self.isEnabled = isEnabled
            self.first = first
            self.second = second
            self.firstThen = firstThen
        }
    }

    private let make: () throws -> Harness<Type>
    private let isEnabled: (Harness<Type>) throws -> Bool
    private let call: (Harness<Type>) throws -> () -> Answer
    private var states: [(name: String, arrange: (Harness<Type>) throws -> Void)] = []

    /// Creates the matrix of an action.
    ///
    /// - Parameters:
    ///   - action: the action.
    ///   - parameters: the params of both calls.
    ///   - make: creates the ViewModel of one state.
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

    /// Creates the matrix of an action without params.
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

    /// Returns the matrix with one more state.
    ///
    /// - Parameters:
    ///   - state: the name of the state, in words.
    ///   - arrange: puts a new ViewModel into the state.
    /// - Returns: the matrix with the state.
    public func given(_ state: String, _ arrange: @escaping (Harness<Type>) throws -> Void) -> ActionMatrix {
        var matrix = self
        matrix.states.append((state, arrange))
        return matrix
    }

    /// Runs the states in the order in which they were added.
    ///
    /// - Returns: one row for each state.
    /// - Throws: the errors of the closures.
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
