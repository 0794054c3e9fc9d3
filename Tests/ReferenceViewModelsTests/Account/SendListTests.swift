import Accounts
import Synchronization
import Testing
import ViewModelKit
import ViewModelTesting

@testable import ReferenceViewModels

@Suite(.timeLimit(.minutes(5))) struct `A durable outbox` {
    private func add(_ text: String, to list: Harness<SendList>) async throws {
        try list.send(\.inputs.draft, text)
        _ = try await list.start(\.actions.add).answered()
    }

    @Test func `the reason of a failed attempt is shown at once, in all sessions`() async throws {
        try await Daemon.with { daemon in
            try await daemon.signIn()
            daemon.provider.fail(AccountError(.unreachable, "down"))
            let (list, other) = (try daemon.sendList(), try daemon.sendList())
            try await add("one", to: list)
            let call = list.start(\.actions.send)
            // No time passes, so the second attempt does not begin.
            try await list.wait { try list.read(\.outputs.items).first?.problem == "down" }
            try await other.wait { try other.read(\.outputs.items).first?.problem == "down" }
            let item = try list.read(\.outputs.items).first
            #expect(item?.status == .sending && item?.attempts == 1)
            call.cancel()
            _ = try await call.answered()
            let queued = try list.read(\.outputs.items).first
            #expect(queued?.status == .queued && queued?.problem == "down")
        }
    }

    @Test func `a backend that is down is tried again after exactly one, two and four seconds`() async throws {
        try await Daemon.with { daemon in
            try await daemon.signIn()
            daemon.provider.fail(AccountError(.unreachable, "down 1"))
            let list = try daemon.sendList()
            try await add("one", to: list)
            let call = list.start(\.actions.send)
            for (attempt, seconds) in [(1, 1.0), (2, 2), (3, 4)] {
                try await list.wait { try list.read(\.outputs.items).first?.problem == "down \(attempt)" }
                daemon.provider.fail(AccountError(.unreachable, "down \(attempt + 1)"))
                list.advance(by: .seconds(seconds) - .milliseconds(1))
                #expect(try list.read(\.outputs.items).first?.attempts == attempt)
                list.advance(by: .milliseconds(1))
            }
            #expect(try await call.answered() == .result(["sent": 0, "failed": 1]))
            #expect(daemon.provider.state.withLock { $0.asked } == 4)
            let item = try #require(try list.read(\.outputs.items).first)
            #expect(item.status == .failed && item.attempts == 4 && item.problem == "down 4")
            #expect(try list.scenes.count == 1)
            daemon.provider.fail(nil)
            let retried = try await list.start(\.actions.retry, .init(id: item.id)).answered()
            #expect(retried == .result(["status": "sent"]))
        }
    }

    @Test func `a text has at most 65,536 bytes`() async throws {
        try await Daemon.with { daemon in
            let list = try daemon.sendList()
            let longest = String(repeating: "ä", count: 32_768)
            #expect(throws: InvalidValue(expected: "a text of at most 65536 bytes", found: "65537 bytes")) {
                try list.send(\.inputs.draft, longest + "x")
            }
            #expect(try list.read(\.outputs.draft) == "")
            try await add(longest, to: list)
            #expect(try list.read(\.outputs.items).map(\.text) == [longest])
        }
    }

    @Test func `an item that is being sent stays, and what others are at does not bring a removed one back`()
        async throws
    {
        try await Daemon.with { daemon in
            try await daemon.signIn()
            let session = try daemon.session()
            let (left, right) = (try session.connect(to: "left"), try session.connect(to: "right"))
            for client in [left, right] { try client.bind("sendList") }
            for text in ["one", "two", "three"] { _ = try await daemon.accounts.outboxes[1000].add(text) }
            try await session.wait { try left.items.count == 3 && right.items.count == 3 }
            let ids = try left.items.map(\.id)
            daemon.provider.fail(AccountError(.unreachable, "down"))
            let call = left.begin("sendList.send")
            try await session.wait { try right.items[0].status == .sending }
            #expect(right.begin("sendList.remove", [.string(ids[0])]).error?.code == .invalidParams)
            #expect(right.begin("sendList.remove", [.string(ids[1])]).error == nil)
            #expect(try right.items.map(\.text) == ["one", "three"])
            #expect(right.begin("sendList.remove", [.string(ids[1])]).error?.code == .invalidParams)
            daemon.provider.fail(nil)
            try await session.wait {
                session.advance(by: .seconds(600))
                return call.answer != nil
            }
            #expect(daemon.provider.state.withLock { $0.delivered } == ["one", "three"])
            for client in [left, right] { #expect(try client.items.map(\.text) == ["one", "three"]) }
        }
    }
}
