/// The only place for asynchronous work, and where errors live: it is run, and it ends with a result or an error.
///
/// The gate (params, retry key, executing, condition), the policy, `executing`, `enabled`, `progress`, cancellation and
/// deadlines are the framework's. The body runs on the session: between two suspensions it is a step like any other.
/// It throws ``ActionFailure`` for what callers should know, ``InvalidValue`` for params that turn out wrong; anything
/// else is a fault of the daemon's own. It stops when its task is cancelled. Isolation: confined to its session.
public final class Action<Parameters, Result>: AnyAction {
    private enum Body {
        case immediate((Parameters) throws -> Result)
        case suspending((Parameters, Execution) async throws -> Result)
    }

    private var body: Body?
    /// Encodes the result; from the declaration, because `Void` has no encoding.
    package var encodeResult: ((Result) throws -> [UInt8])?

    private init(condition: Signal<Bool>?, body: Body) {
        self.body = body
        super.init(condition: condition)
    }

    /// Makes an action that is done within one step.
    ///
    /// - Parameter condition: when it can be run; always, without one.
    public convenience init(enabled condition: Signal<Bool>? = nil, _ body: @escaping (Parameters) throws -> Result) {
        self.init(condition: condition, body: .immediate(body))
    }

    /// Makes an action that takes its time.
    ///
    /// - Parameter body: runs on the session. Give it no capture list: an async closure with one (`[weak self] in`)
    ///   loses its caller's isolation in Swift 6.3. The framework releases it when the instance is closed.
    public convenience init(
        enabled condition: Signal<Bool>? = nil,
        _ body: @escaping (Parameters) async throws -> Result
    ) {
        self.init(condition: condition, body: .suspending { parameters, _ in try await body(parameters) })
    }

    /// Makes an action that takes its time and tells how far it is.
    public convenience init(
        enabled condition: Signal<Bool>? = nil,
        _ body: @escaping (Parameters, Execution) async throws -> Result
    ) {
        self.init(condition: condition, body: .suspending(body))
    }

    /// Runs the action from within the ViewModel, if the gate lets it; it goes on until it ends.
    public func run(_ parameters: Parameters) {
        graph.stepLater { self.call(parameters, key: nil, deadline: nil, caller: nil) }
    }

    /// Passes a call through the gate and begins it; part of the running step.
    package func call(
        _ parameters: Parameters,
        key: (name: String, parameters: [UInt8])?,
        deadline: Int?,
        caller: ActionCaller?
    ) {
        admit(caller, key: key, deadline: deadline) { [weak self] execution in
            self?.perform(parameters, execution)
        }
    }

    private func perform(_ parameters: Parameters, _ execution: Execution) {
        guard let body, let encodeResult else { return }
        switch body {
        case .immediate(let body):
            do {
                finish(execution, .success(try encodeResult(try body(parameters))))
            } catch {
                finish(execution, failure: error)
            }
        case .suspending(let body):
            start(execution) { try encodeResult(try await body(parameters, execution)) }
        }
    }

    override package func close(_ outcome: ActionOutcome = .cancelled) {
        super.close(outcome)
        body = nil
    }
}

extension Action where Parameters == Void {
    /// Makes an action without params that is done within one step.
    public convenience init(enabled condition: Signal<Bool>? = nil, _ body: @escaping () throws -> Result) {
        self.init(enabled: condition) { (_: Void) in try body() }
    }

    /// Makes an action without params that takes its time.
    public convenience init(enabled condition: Signal<Bool>? = nil, _ body: @escaping () async throws -> Result) {
        self.init(enabled: condition) { (_: Void) in try await body() }
    }

    /// Runs the action from within the ViewModel, if the gate lets it.
    public func run() {
        run(())
    }
}
