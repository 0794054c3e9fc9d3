import Testing
import ViewModelTesting

@testable import Scenarios

@Suite struct `An effect` {
    private let effect = Effect<Int, String>()

    @Test(.timeLimit(.minutes(5)))
    func `ends a cancelled call, unless it heeds no cancellation`() async throws {
        let effect = effect
        let task = Task { try await effect(1) }
        let call = try await effect.nextCall()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(call.isCancelled)

        let deaf = Effect<Int, String>(endsWhenCancelled: false)
        let other = Task { try await deaf(1) }
        let waiting = try await deaf.nextCall()
        other.cancel()
        #expect(waiting.isWaiting)
        #expect(waiting.isCancelled)
        deaf.complete(with: "all the same")
        #expect(try await other.value == "all the same")
    }

    @Test(.timeLimit(.minutes(5)))
    func `lets a test give up waiting for a call`() async throws {
        let effect = effect
        let waiting = Task { try await effect.nextCall() }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }
}

private enum Fault: Error, Equatable { case busy, cutOff }

/// A service with typed errors, without a wrapper.
private struct Store {
    let effect = TypedEffect<Int, String, Fault>(whenCancelled: .cutOff)

    func load(_ id: Int) async throws(Fault) -> String { try await effect(id) }
}

@Suite struct `A typed effect` {
    @Test(.timeLimit(.minutes(5)))
    func `throws errors of its type, one of them for a cancelled call`() async throws {
        let store = Store()
        let first = Task { try await store.load(1) }
        try await store.effect.nextCall().fail(with: .busy)
        await #expect(throws: Fault.busy) { try await first.value }
        let second = Task { try await store.load(2) }
        _ = try await store.effect.nextCall()
        second.cancel()
        await #expect(throws: Fault.cutOff) { try await second.value }
    }
}
