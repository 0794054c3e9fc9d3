import Logging
import ServiceLifecycle
import Synchronization
import TestSupport
import Testing

@testable import Systemd

/// The watchdog as a service, with a manager that listens.
@Suite(.timeLimit(.minutes(5))) struct WatchdogTests {
    @Test func `signs of life come while all answer, stop with the first that is silent, and come again`() async throws
    {
        let manager = DatagramSocket()
        let silent = Silence()
        let probes = [
            WatchdogProbe("one") { $0() },
            WatchdogProbe("two") { silent.pass($0) },
        ]
        try await withWatchdog(manager, probes) {
            for _ in 0..<3 { try await manager.wait(for: "WATCHDOG=1") }
            silent.begin()
            await silent.waitUntilAsked()
            _ = manager.receiveAll()
            // Many times the pause between two signs.
            try await Task.sleep(for: .milliseconds(200))
            #expect(manager.receiveAll().isEmpty)
            silent.end()
            try await manager.wait(for: "WATCHDOG=1")
        }
    }

    @Test func `a sign that is late twice is still in time`() {
        #expect(watchdog(DatagramSocket(), [], timeout: .seconds(40)).interval == .seconds(10))
    }

    private func watchdog(_ manager: DatagramSocket, _ probes: [WatchdogProbe], timeout: Duration) -> Watchdog {
        Watchdog(
            timeout: timeout,
            probes: probes,
            notifier: ServiceNotifier(address: manager.address),
            logger: Logger(label: "test")
        )
    }

    private func withWatchdog(
        _ manager: DatagramSocket,
        _ probes: [WatchdogProbe],
        _ body: () async throws -> Void
    ) async throws {
        let watchdog = watchdog(manager, probes, timeout: .milliseconds(40))
        let group = ServiceGroup(services: [watchdog], logger: Logger(label: "test"))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            try await body()
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
    }
}

/// A part that can stop answering.
private final class Silence: Sendable {
    private struct State {
        var isSilent = false
        var kept: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())

    func begin() {
        state.withLock { $0.isSilent = true }
    }

    /// Lets what was kept through, and all that comes.
    func end() {
        let kept = state.withLock { state in
            defer { state = State() }
            return state.kept
        }
        for answer in kept { answer() }
    }

    func pass(_ answer: @escaping @Sendable () -> Void) {
        let isKept = state.withLock { state in
            if state.isSilent { state.kept.append(answer) }
            return state.isSilent
        }
        if !isKept { answer() }
    }

    func waitUntilAsked() async {
        while state.withLock({ $0.kept.isEmpty }) { await Task.yield() }
    }
}
