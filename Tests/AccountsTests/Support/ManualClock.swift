import Synchronization

@testable import Accounts

/// A clock that a test moves by hand.
final class ManualClock: Sendable {
    private struct Sleeper {
        let until: Duration
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now = Duration.zero
        var sleepers: [Int: Sleeper] = [:]
        var cancelled: Set<Int> = []
        var lastNumber = 0
    }

    private let state = Mutex(State())

    var clock: SignInClock {
        SignInClock(now: { self.state.withLock { $0.now } }, sleep: { try await self.sleep(until: $0) })
    }

    /// When the sleepers wake up, the first one first.
    var alarms: [Duration] { state.withLock { $0.sleepers.values.map(\.until).sorted() } }

    func advance(by duration: Duration) {
        let woken = state.withLock { state in
            state.now += duration
            let now = state.now
            let woken = state.sleepers.filter { $0.value.until <= now }
            for number in woken.keys { state.sleepers[number] = nil }
            return woken
        }
        for sleeper in woken.values { sleeper.continuation.resume() }
    }

    /// Waits until so many sleep.
    func waitForSleepers(_ count: Int) async {
        while state.withLock({ $0.sleepers.count }) != count { await Task.yield() }
    }

    private func sleep(until moment: Duration) async throws {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let outcome: Result<Void, any Error>? = state.withLock { state in
                    if state.cancelled.contains(number) { return .failure(CancellationError()) }
                    if state.now >= moment { return .success(()) }
                    state.sleepers[number] = Sleeper(until: moment, continuation: continuation)
                    return nil
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            let sleeper = state.withLock { state in
                state.cancelled.insert(number)
                return state.sleepers.removeValue(forKey: number)
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }
}
