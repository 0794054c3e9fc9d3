import Dispatch
import Logging
import ServiceLifecycle
import TestSupport
import Testing
import ViewModelClient
import ViewModelKit
import ViewModelServer

@testable import Systemd

/// A ViewModel whose input does not return before the test lets it.
@ViewModel
final class Knot {
    struct Inputs {
        /// Holds up the loop that its session lives on.
        let tie = Input<Int>()
    }

    let inputs = Inputs()

    init(_ end: DispatchSemaphore) {
        inputs.tie.sink { _ in end.wait() }
    }
}

/// What the watchdog makes of a server whose event loop hangs.
@Suite(.timeLimit(.minutes(5))) struct HungLoopTests {
    @Test func `no sign of life is given while one event loop hangs`() async throws {
        let end = DispatchSemaphore(value: 0)
        let manager = DatagramSocket()
        try await withWatchedServer(manager, end) { socket in
            for _ in 0..<3 { try await manager.wait(for: "WATCHDOG=1") }
            try await withViewModelClient(socket: socket) { client in
                try await client.notify("knot.tie", params: Array("[1]".utf8))
                // A hundred times as long as the pause between two signs of life.
                try await manager.waitUntilSilent(for: .seconds(1))
                end.signal()
                try await manager.wait(for: "WATCHDOG=1")
            }
        }
    }

    private func withWatchedServer(
        _ manager: DatagramSocket,
        _ end: DispatchSemaphore,
        _ body: (String) async throws -> Void
    ) async throws {
        var catalog = ViewModelCatalog()
        try catalog.host(Knot.self) { _ in Knot(end) }
        func watchdog(of server: ViewModelServer) -> [any Service] {
            [
                Watchdog(
                    timeout: .milliseconds(40),
                    probes: server.probes.map { probe in
                        WatchdogProbe(probe.name) { answer in probe.ask { answer(.alive) } }
                    },
                    notifier: ServiceNotifier(address: manager.address),
                    logger: Logger(label: "test")
                )
            ]
        }
        try await withServer(catalog, beside: watchdog) { socket in
            // A test that failed must not leave the loop tied.
            defer { end.signal() }
            try await body(socket)
        }
    }
}
