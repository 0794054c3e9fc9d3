import Dispatch
import Synchronization
import Testing
import ViewModelClient
import ViewModelKit
import ViewModelServer

/// A ViewModel whose input does not return before the test lets it.
@ViewModel
final class Knot {
    struct Inputs {
        let tie = Input<Int>()
    }

    let inputs = Inputs()

    init(_ end: DispatchSemaphore, _ isTied: @escaping @Sendable () -> Void) {
        inputs.tie.sink { _ in
            isTied()
            end.wait()
        }
    }
}

/// What the watchdog learns of a server whose event loop hangs.
@Suite(.timeLimit(.minutes(5))) struct HungLoopTests {
    @Test func `the probe of an event loop that hangs answers when the loop goes on, and the others at once`()
        async throws
    {
        let end = DispatchSemaphore(value: 0)
        let (hangs, hang) = AsyncStream.makeStream(of: Void.self)
        var catalog = ViewModelCatalog()
        try catalog.host(Knot.self) { _ in Knot(end) { hang.yield() } }
        let probes = Mutex<[ServerProbe]>([])
        try await withServer(
            catalog,
            beside: { server in
                probes.withLock { $0 = server.probes }
                return []
            }
        ) { socket in
            // A test that failed must not leave the loop tied.
            defer { end.signal() }
            let probes = probes.withLock { $0 }
            try await withViewModelClient(socket: socket) { client in
                try await client.notify("knot.tie", params: Array("[1]".utf8))
                _ = await hangs.first { true }
                let (answers, answer) = AsyncStream.makeStream(of: String.self)
                var answered = answers.makeAsyncIterator()
                // Two questions to each: an answer of the tied one would come among those of the others.
                for _ in 1...2 {
                    for probe in probes { probe.ask { answer.yield(probe.name) } }
                }
                var names: [String?] = []
                for _ in 1..<probes.count { names += [await answered.next(), await answered.next()] }
                let silent = probes.map(\.name).filter { !names.contains($0) }
                #expect(silent.count == 1)
                end.signal()
                for _ in 1...2 { #expect(await answered.next() == silent.first) }
            }
        }
    }
}
