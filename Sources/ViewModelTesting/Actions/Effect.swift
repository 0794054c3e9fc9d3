import Synchronization
import ViewModelKit

/// An operation outside of the session that the test completes by hand, as a stub of a service.
///
///     struct FakeAccount: AccountService {
///         let signIn = Effect<Credentials, User>()
///         func signIn(_ credentials: Credentials) async throws -> User { try await signIn(credentials) }
///     }
///
///     let call = try login.start(\.actions.login, credentials)
///     #expect(account.signIn.waiting.map(\.input) == [credentials])
///     account.signIn.complete(with: user)
///     try call.result()
///
/// A caller waits until the test completes or fails the call, or until the caller's task is cancelled.
public typealias Effect<Input: Sendable, Output: Sendable> = TypedEffect<Input, Output, any Error>

/// An ``Effect`` that throws errors of one type, as a stub of a service with `throws(PodcastFailure)`.
///
///     let part = TypedEffect<Int, Part, PodcastFailure>(whenCancelled: .cutOff)
public final class TypedEffect<Input: Sendable, Output: Sendable, Failure: Error>: Sendable {
    /// One call of the effect.
    public struct Call: Sendable {
        /// The input of the call.
        public let input: Input
        fileprivate let number: Int
        fileprivate let effect: TypedEffect

        /// Ends the call with a result.
        public func complete(with output: Output) {
            effect.resolve(number, .success(output))
        }

        /// Ends the call with an error.
        public func fail(with error: Failure) {
            effect.resolve(number, .failure(error))
        }

        /// Whether the call waits: it was not completed, failed or cancelled.
        public var isWaiting: Bool { effect.state.withLock { $0.waiting[number] != nil } }

        /// Whether the caller's task was cancelled, even if the call ignores the cancellation.
        public var isCancelled: Bool { effect.state.withLock { $0.cancelled.contains(number) } }
    }

    private typealias Continuation = CheckedContinuation<Result<Output, Failure>, Never>

    private struct State {
        var inputs: [Input] = []
        var waiting: [Int: Continuation] = [:]
        var cancelled: Set<Int> = []
        /// Signalled by the next call.
        var watchers: [OneShotEvent] = []
    }

    private let cancellation: Failure?
    private let state = Mutex(State())

    /// Creates an effect.
    ///
    /// - Parameter cancellation: the error of a call whose task is cancelled. With nil it waits until the test ends it, like
    ///   work that ignores its cancellation.
    public init(whenCancelled cancellation: Failure?) {
        self.cancellation = cancellation
    }

    /// Calls the effect and waits until the test ends the call.
    ///
    /// - Parameters:
    ///   - input: the input of the call.
    ///   - isolation: the caller's isolation.
    /// - Returns: the output with which the test completes the call.
    /// - Throws: the error with which the test fails the call, or that of a cancellation when the task is cancelled.
    public func callAsFunction(
        _ input: Input,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(Failure) -> Output {
        let number = state.withLock { state in
            state.inputs.append(input)
            return state.inputs.count - 1
        }
        let result = await withTaskCancellationHandler {
            // Without this capture, Swift 6.3 runs the closure on the global executor.
            _ = isolation
            return await withCheckedContinuation { (continuation: Continuation) in
                let (isCancelled, watchers) = state.withLock { state in
                    let isCancelled = cancellation != nil && state.cancelled.contains(number)
                    if !isCancelled { state.waiting[number] = continuation }
                    defer { state.watchers = [] }
                    return (isCancelled, state.watchers)
                }
                if isCancelled, let cancellation { continuation.resume(returning: .failure(cancellation)) }
                for watcher in watchers { watcher.signal() }
            }
        } onCancel: {
            state.withLock { _ = $0.cancelled.insert(number) }
            if let cancellation { resolve(number, .failure(cancellation)) }
        }
        return try result.get()
    }

    /// All calls so far, the oldest first.
    public var calls: [Call] {
        state.withLock { state in
            state.inputs.enumerated().map { Call(input: $1, number: $0, effect: self) }
        }
    }

    /// The calls that wait, the oldest first.
    public var waiting: [Call] { calls.filter(\.isWaiting) }

    /// Ends the oldest waiting call with a result.
    ///
    /// Has no effect if no call waits.
    public func complete(with output: Output) {
        waiting.first?.complete(with: output)
    }

    /// Ends the oldest waiting call with an error.
    ///
    /// Has no effect if no call waits.
    public func fail(with error: Failure) {
        waiting.first?.fail(with: error)
    }

    /// Waits until a call waits.
    ///
    /// For services that are called from outside of the session.
    ///
    /// - Returns: the oldest waiting call.
    /// - Throws: `CancellationError` when the test is cancelled, for example by its time limit.
    public func nextCall() async throws -> Call {
        while true {
            if let call = waiting.first { return call }
            let called = OneShotEvent()
            let isOver = state.withLock { state in
                if state.waiting.isEmpty { state.watchers.append(called) }
                return !state.waiting.isEmpty
            }
            if !isOver { try await called.wait() }
            try Task.checkCancellation()
        }
    }

    private func resolve(_ number: Int, _ result: Result<Output, Failure>) {
        state.withLock { $0.waiting.removeValue(forKey: number) }?.resume(returning: result)
    }
}

extension TypedEffect where Failure == any Error {
    /// Creates an effect that throws any error.
    ///
    /// - Parameter endsWhenCancelled: whether a call ends with `CancellationError` when its task is cancelled.
    ///   Otherwise it waits until the test ends it, like work that ignores its cancellation.
    public convenience init(endsWhenCancelled: Bool = true) {
        self.init(whenCancelled: endsWhenCancelled ? CancellationError() : nil)
    }
}

extension TypedEffect where Input == Void {
    /// Calls the effect as ``callAsFunction(_:isolation:)`` does.
    public func callAsFunction(isolation: isolated (any Actor)? = #isolation) async throws(Failure) -> Output {
        try await callAsFunction((), isolation: isolation)
    }
}

extension TypedEffect where Output == Void {
    /// Ends the oldest waiting call.
    ///
    /// Has no effect if no call waits.
    public func complete() {
        complete(with: ())
    }
}
