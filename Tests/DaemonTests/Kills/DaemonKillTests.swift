import Dispatch
import Foundation
import PostgresSupport
import Synchronization
import TestSupport
import Testing
import ViewModelProtocol

/// The real daemon, before a backend that fails, is killed at random moments; `VIEWMODELD_KILLS` says how often.
@Suite struct DaemonKillTests {
    @Test func `what was acknowledged survives kills at any moment, and is delivered once`() async throws {
        var random = Seeded(.random(in: 0...UInt64.max))
        let backend = try await UnreliableBackend.start(
            seed: random.next(),
            faults: [.unavailable, .hangUp, .silence, .lostAnswer, .lostAnswer]
        )
        let folder = TemporaryFolder()
        let configuration =
            "account: {provider: http, url: \"\(backend.url)\", timeoutSeconds: 60}\n"
            + (try await TestStore.daemonSettings())
        let file = try folder.write(configuration, to: "d.yaml")

        let workload = KillWorkload(backend: backend)
        for round in 1...kills {
            // Mostly in the middle of work, sometimes while the daemon starts.
            let isEarly = Int.random(in: 0..<5, using: &random) == 0
            let delay = Duration.microseconds(.random(in: 0..<(isEarly ? 60_000 : 150_000), using: &random))
            let end = try await withDaemon("--config", file, folder: folder, isAwaited: !isEarly) { daemon in
                async let work: Void = blocking { if !isEarly { try workload.work(daemon.socket, round) } }
                try await Task.sleep(for: delay)
                kill(daemon.process, SIGKILL)
                try await work
            }
            try #require(end.status == nil, "round \(round): \(end.log)")
        }
        backend.state.withLock { $0.faults = [] }
        try await withDaemon("--config", file, folder: folder) { daemon in
            try await blocking { try workload.finish(daemon.socket) }
        }
        await backend.stop()
        let state = backend.state.withLock { $0 }
        print(
            "\(kills) kills, \(workload.added.count) items acknowledged, \(state.taken.count) taken in "
                + "\(state.deliveries.values.reduce(0, +)) deliveries, of one item at most "
                + "\(state.deliveries.values.max() ?? 0), \(workload.rows) operations"
        )
        #expect(!workload.added.isEmpty)
        #expect(state.contradictions.isEmpty)
        #expect(workload.added.subtracting(state.taken.keys).isEmpty, "each acknowledged item was delivered")
        #expect(Set(state.taken.values).count == state.taken.count, "no text came under two keys")
    }

    /// Runs blocking work on a thread of its own.
    private func blocking(_ body: @escaping @Sendable () throws -> Void) async throws {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(with: Result(catching: body)) }
        }
    }
}
