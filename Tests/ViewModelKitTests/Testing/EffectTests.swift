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
