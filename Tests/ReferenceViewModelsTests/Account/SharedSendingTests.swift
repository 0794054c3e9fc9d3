import Accounts
import Synchronization
import TestSupport
import Testing
import ViewModelKit
import ViewModelTesting

@testable import ReferenceViewModels

@Suite struct `Two sessions that send at once` {
    @Test(.timeLimit(.minutes(5)), arguments: 0..<3)
    func `share the items, and their counts add up`(run: Int) async throws {
        let count = 30
        let backend = try await UnreliableBackend.start(
            seed: .random(in: 0...UInt64.max),
            faults: [.unavailable, .unavailable, .hangUp, .lostAnswer, .rejection]
        )
        backend.state.withLock { $0.isDown = true }
        try await Daemon.with(try HTTPProvider(url: backend.url, timeout: .seconds(60))) { daemon in
            try await daemon.signIn()
            for number in 0..<count { _ = try await daemon.accounts.outboxes[1000].add("\(number)") }
            let session = try daemon.session()
            let clients = try ["left", "right"].map { try session.connect(to: $0) }
            for client in clients { try client.bind("sendList") }

            let calls = clients.map { $0.begin("sendList.send") }
            // Both are at it before anything fails for good, since no time passes.
            try await session.wait {
                try clients.allSatisfy { try $0.items.count { $0.status == .sending } == 2 }
            }
            backend.state.withLock { $0.isDown = false }
            try await session.wait {
                // Longer than all pauses before other attempts, which may follow each other in here.
                session.advance(by: .seconds(600))
                return calls.allSatisfy { $0.answer != nil }
            }

            let results = try calls.map { try $0.answer?.get().decoded(as: SendList.Sent.self) ?? SendList.Sent() }
            let taken = backend.state.withLock { $0.taken }
            #expect(results.reduce(0) { $0 + $1.sent } == taken.count)
            #expect(results.reduce(0) { $0 + $1.sent + $1.failed } == count)
            #expect(results.allSatisfy { $0.sent + $0.failed > 0 }, "\(results)")
            #expect(Set(taken.values).count == taken.count, "no text came under two keys")
            for client in clients {
                let items = try client.items
                #expect(items.count == count)
                for item in items {
                    #expect(item.status == (taken[item.id] == item.text ? .sent : .failed), "run \(run): \(item)")
                }
            }
        }
        await backend.stop()
    }
}
