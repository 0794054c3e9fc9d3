public import Observation

/// The live values of an instance, for a user interface on the main actor.
///
/// `viewmodelctl generate swift` writes a class for each ViewModel type, with a property for each output, list, field and
/// action. A value is nil before the first picture. It notifies only when it changes. While the client has no connection,
/// the values stay, no action is enabled, and inputs and actions are refused at once with
/// ``ClientError/Code-swift.struct/noConnection``. Fields keep what is typed.
///
/// The model holds its outputs as long as it exists. Other holders of the instance are not disturbed.
@MainActor
@Observable
open class ObservableModel<Model: RemoteViewModel> {
    /// The instance.
    public let viewModel: Model
    /// Whether the client is connected.
    public private(set) var isOnline = false
    /// The last refusal of an input, or the end of the binding.
    public private(set) var problem: ClientError?
    /// The receiver of the events.
    @ObservationIgnored public var onEvent: ((Model.Event) -> Void)?

    @ObservationIgnored private var picture: Model.Picture?
    @ObservationIgnored private var values: [PartialKeyPath<Model.Picture>: AnyObject] = [:]
    /// What follows the picture and the connection.
    @ObservationIgnored private var followers: [(Model.Picture?, Bool) -> Void] = []
    @ObservationIgnored private var tasks: [Task<Void, Never>] = []

    /// Creates a model that holds outputs, for generated code.
    ///
    /// - Parameters:
    ///   - viewModel: The instance.
    ///   - outputs: The outputs, or nil for all. A list that is not among them has no rows in the picture.
    public init(_ viewModel: Model, outputs: [String]? = nil) {
        self.viewModel = viewModel
        let updates = RemoteBinding<Model>(viewModel.client.bind(viewModel.id, outputs: outputs))
        let states = viewModel.client.connectionStates()
        tasks = [
            Task { [weak self] in
                do {
                    for try await update in updates { self?.show(update) }
                } catch {
                    self?.problem = error as? ClientError
                }
            },
            Task { [weak self] in
                for await state in states { self?.setOnline(state.isConnected) }
                self?.setOnline(false)
            },
        ]
    }

    deinit {
        for task in tasks { task.cancel() }
    }

    private func show(_ update: RemoteUpdate<Model>) {
        picture = update.picture
        follow()
        for event in update.events { onEvent?(event) }
    }

    private func setOnline(_ isOnline: Bool) {
        if isOnline == self.isOnline { return }
        self.isOnline = isOnline
        follow()
    }

    private func follow() {
        for follower in followers { follower(picture, isOnline) }
    }

    private func add(_ follower: @escaping (Model.Picture?, Bool) -> Void) {
        follower(picture, isOnline)
        followers.append(follower)
    }

    /// Returns the value of an output, or nil before the first picture.
    public final func observed<Value: Equatable>(_ output: KeyPath<Model.Picture, Value>) -> Value? {
        if let known = values[output] as? ModelValue<Value> { return known.now }
        let value = ModelValue<Value>()
        values[output] = value
        add { picture, _ in value.set(picture?[keyPath: output]) }
        return value.now
    }

    /// Returns the value of an output that may be null, or nil before the first picture.
    public final func observed<Value: Equatable>(_ output: KeyPath<Model.Picture, Value?>) -> Value? {
        let value: Value?? = observed(output)
        return value ?? nil
    }

    /// Sends an input without waiting.
    ///
    /// ``problem`` is its refusal.
    public final func post(_ input: String, _ value: some Encodable & Sendable = NoParams()) {
        problem = nil
        viewModel.client.post("\(viewModel.id).\(input)", value) { [weak self] error in
            if let error { self?.problem = error }
        }
    }

    /// Returns an action of the model, to be kept.
    public final func observedAction(_ name: String, _ state: KeyPath<Model.Picture, ActionState>) -> ModelAction {
        let action = ModelAction(viewModel.client, "\(viewModel.id).\(name)")
        add { [weak action] picture, isOnline in action?.set(picture?[keyPath: state], isOnline) }
        return action
    }

    /// Returns the rows of a list, to be kept.
    public final func observedList<Row>(_ name: String, page: Int = 100) -> RemoteRows<Row> {
        RemoteRows(viewModel.client, viewModel.id, name, page: page)
    }
}

/// The value of an output of a model.
@MainActor
@Observable
final class ModelValue<Value: Equatable> {
    private(set) var now: Value?

    func set(_ value: Value?) {
        if value != now { now = value }
    }
}

/// An action of a model, for a button.
@MainActor
@Observable
public final class ModelAction {
    /// Whether a call would be accepted now; false while the client has no connection.
    public private(set) var enabled = false
    /// Whether the action runs.
    public private(set) var executing = false
    /// The progress of the newest execution, 0 to 1; nil if it is not known.
    public private(set) var progress: Double?
    /// The failure of the last call.
    ///
    /// The next call clears it.
    public private(set) var error: ClientError?

    private let client: ViewModelClient
    private let name: String
    @ObservationIgnored private var calls: Set<Int> = []

    init(_ client: ViewModelClient, _ name: String) {
        (self.client, self.name) = (client, name)
    }

    func set(_ state: ActionState?, _ isOnline: Bool) {
        let enabled = isOnline && state?.enabled == true
        if enabled != self.enabled { self.enabled = enabled }
        let executing = state?.executing == true
        if executing != self.executing { self.executing = executing }
        if state?.progress != progress { progress = state?.progress }
    }

    /// Runs the action without waiting.
    public func run(_ value: some Encodable & Sendable = NoParams()) {
        error = nil
        let call = ClientToken.next()
        calls.insert(call)
        client.post(name, value, token: call) { [weak self] error in
            self?.calls.remove(call)
            if error?.reply?.code != .cancelled, let error { self?.error = error }
        }
    }

    /// Cancels the calls of this object.
    public func cancel() {
        for call in calls { client.cancelPost(call) }
    }
}

/// A field of a model: what its text box, or another control, shows.
///
/// ``RemoteField`` has the rules.
@MainActor
@Observable
public final class ModelField<Value: Codable & Equatable & Sendable> {
    /// The value in the box; nil before the first picture.
    public private(set) var value: Value?
    /// The position of the caret in a text, a number of characters.
    public private(set) var caret = 0
    /// The refusal of the last value, or the end of the field.
    public private(set) var failure: ClientError?

    private let field: RemoteField<Value>
    @ObservationIgnored private var task: Task<Void, Never>?

    /// Creates the model of a field.
    public init(_ field: RemoteField<Value>) {
        self.field = field
        let changes = field.changes()
        task = Task { [weak self] in
            for await _ in changes { self?.show() }
        }
    }

    deinit {
        task?.cancel()
    }

    /// Takes a value from the person, with the position of the caret.
    public func edit(_ value: Value, caret: Int? = nil) {
        field.edit(value, caret: caret)
        show()
    }

    private func show() {
        // Not the element of the stream: something may have been typed since.
        let content = field.content
        if content.value != value { value = content.value }
        if content.caret != caret { caret = content.caret }
        if content.failure != failure { failure = content.failure }
    }
}
