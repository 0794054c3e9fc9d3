import Accounts
import Synchronization
import Testing
import ViewModelKit
import ViewModelTesting

@testable import ReferenceViewModels

@Suite(.timeLimit(.minutes(5))) struct `The page of the user` {
    @Test func `signed out it shows defaults and leads to the login, then it shows a sign-in elsewhere`() async throws {
        try await Daemon.with { daemon in
            let mine = try daemon.mine()
            try await mine.wait { try !mine.isExecuting(\.actions.autoLogin) }
            #expect(try mine.read(\.children.header.outputs.nickname) == "click login")
            #expect(try mine.read(\.outputs.wallet).map(\.content) == ["", ""])
            try mine.send(\.inputs.select, "support")
            try mine.send(\.children.header.inputs.select)
            #expect(try mine.scenes.map(\.scene) == ["root", "login", "login"])
            #expect(throws: InvalidValue.self) { try mine.send(\.inputs.select, "nothing") }

            daemon.provider.state.withLock { $0.page.nickname = nil }
            try await daemon.signIn()
            try await mine.wait { try mine.read(\.children.header.outputs.nickname) == "ada" }
            #expect(try mine.read(\.outputs.wallet).map(\.content) == ["100 yuan", "3 pieces"])
            #expect(try !mine.read(\.outputs.freshness).stale)
            try mine.send(\.inputs.select, "support")
            #expect(try mine.scenes.last?.scene == "support")
        }
    }

    @Test func `a refused token signs out with a hint`() async throws {
        try await Daemon.with { daemon in
            try await daemon.signIn()
            daemon.provider.fail(AccountError(.signedOut, "too old"))
            let mine = try daemon.mine()
            try await mine.wait { try mine.hints.map(\.text) == ["too old"] }
            #expect(try mine.read(\.children.header.outputs.nickname) == "click login")
        }
    }

    @Test func `while the backend is down the page is stale, and it is asked again by itself`() async throws {
        try await Daemon.with { daemon in
            try await daemon.signIn()
            daemon.provider.fail(AccountError(.unreachable, "down"))
            let mine = try daemon.mine()
            func isStale() throws -> Bool { try mine.read(\.outputs.freshness).stale }
            func comesBack() async throws {
                try await mine.wait { try isStale() }
                #expect(try mine.read(\.children.header.outputs.nickname) == "Ada")
                try await mine.wait { try !mine.isExecuting(\.actions.autoLogin) }
                daemon.provider.fail(nil)
                mine.advance(by: .milliseconds(1300))
                // An action that is still running would share its outcome with the next call.
                try await mine.wait { try !isStale() && !mine.isExecuting(\.actions.autoLogin) }
            }
            try await comesBack()
            // The delay is short again after a success.
            daemon.provider.fail(AccountError(.unreachable, "down"))
            _ = mine.start(\.actions.autoLogin)
            try await comesBack()
            #expect(daemon.provider.state.withLock { $0.asked } == 4)
        }
    }
}
