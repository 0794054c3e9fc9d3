import Accounts
import Testing
import ViewModelKit
import ViewModelTesting

@testable import ReferenceViewModels

@Suite(.timeLimit(.minutes(5))) struct `Signing in on another device` {
    /// A page on which a sign-in has begun, and shows its code.
    private func begin(
        lifetime: Double = 600,
        _ body: (DeviceProvider, Harness<Login>, PendingCall<AccountUser>) async throws -> Void
    ) async throws {
        try await Daemon.with(DeviceProvider()) { daemon in
            let login = try daemon.login(over: "login")
            let call = login.start(\.actions.signInWithDevice)
            try await called(daemon.provider.begin, 1, by: login)
            #expect(try login.read(\.outputs.state) == .signingIn)
            let grant = DeviceProvider.grant(lifetime: lifetime)
            daemon.provider.begin.complete(with: grant)
            try await login.wait { try login.read(\.outputs.device) == grant.prompt }
            try await body(daemon.provider, login, call)
        }
    }

    /// Lets just so much time pass as the provider wants before the next question, and gives the answer.
    private func answer(
        _ provider: DeviceProvider,
        _ login: Harness<Login>,
        after interval: Duration,
        _ answer: Result<DeviceGrantStatus, AccountError>
    ) async throws {
        let asked = provider.question.calls.count
        login.advance(by: interval - .milliseconds(1))
        #expect(provider.question.calls.count == asked, "asked too early")
        login.advance(by: .milliseconds(1))
        try await called(provider.question, asked + 1, by: login)
        switch answer {
        case .success(let answer): provider.question.complete(with: answer)
        case .failure(let error): provider.question.fail(with: error)
        }
        login.session.runUntilIdle()
    }

    /// Waits until the provider has been called so often: on the session's loop, or by who else is at the account.
    private func called<Input, Output>(
        _ effect: Effect<Input, Output>,
        _ count: Int,
        by login: Harness<Login>
    ) async throws {
        while effect.waiting.isEmpty || effect.calls.count < count {
            try Task.checkCancellation()
            login.session.runUntilIdle()
            await Task.yield()
        }
        #expect(effect.calls.count == count)
    }

    @Test func `a sign-in that cannot begin is over when its error is there`() async throws {
        try await Daemon.with(DeviceProvider()) { daemon in
            let login = try daemon.login()
            let call = login.start(\.actions.signInWithDevice)
            try await called(daemon.provider.begin, 1, by: login)
            daemon.provider.begin.fail(with: AccountError(.unreachable, "down"))
            let failure = ActionFailure("unreachable", message: "down", retryable: true)
            #expect(try await call.answered() == .failure(failure))
            #expect(try login.read(\.outputs.state) == .signedOut)
            #expect(try login.isEnabled(\.actions.signInWithDevice))
        }
    }

    private func expectSignedOut(_ login: Harness<Login>) async throws {
        try await login.wait { try login.read(\.outputs.state) == .signedOut }
        #expect(try login.read(\.outputs.device) == nil)
        #expect(try login.isEnabled(\.actions.signInWithDevice))
        #expect(try login.scenes.map(\.scene) == ["root", "login"])
    }

    @Test func `the provider is asked at its interval, and more slowly when it says so, until it grants`() async throws
    {
        try await begin { provider, login, call in
            try await answer(provider, login, after: .seconds(5), .success(.pending))
            try await answer(provider, login, after: .seconds(5), .success(.slowDown))
            try await answer(provider, login, after: .seconds(10), .success(.pending))
            try await answer(provider, login, after: .seconds(10), .success(.slowDown))
            try await answer(provider, login, after: .seconds(15), .success(DeviceProvider.granted))
            #expect(try await call.answered() == .result(["account": "ada", "nickname": "Ada"]))
            #expect(try login.read(\.outputs.state) == .signedIn)
            #expect(try login.read(\.outputs.device) == nil)
            #expect(try login.scenes.map(\.scene) == ["root"])
            login.advance(by: .seconds(600))
            #expect(provider.question.calls.count == 5)
        }
    }

    @Test func `a provider that does not answer is asked half as often`() async throws {
        try await begin { provider, login, call in
            let down = AccountError(.unreachable, "down")
            try await answer(provider, login, after: .seconds(5), .failure(down))
            try await answer(provider, login, after: .seconds(10), .failure(down))
            try await answer(provider, login, after: .seconds(20), .success(DeviceProvider.granted))
            #expect(try await call.answered() == .result(["account": "ada", "nickname": "Ada"]))
        }
    }

    @Test func `the end of the code is not slept through`() async throws {
        try await begin(lifetime: 2) { provider, login, call in
            login.advance(by: .seconds(3))
            try await called(provider.question, 1, by: login)
            provider.question.fail(with: AccountError(.rejected, "The code has expired"))
            #expect(try await call.answered() == .failure(ActionFailure("rejected", message: "The code has expired")))
        }
    }

    @Test(arguments: ["The code has expired", "The sign-in was denied"])
    func `a code that was denied or has expired fails the action and is shown no more`(text: String) async throws {
        try await begin { provider, login, call in
            try await answer(provider, login, after: .seconds(5), .success(.pending))
            try await answer(provider, login, after: .seconds(5), .failure(AccountError(.rejected, text)))
            #expect(try await call.answered() == .failure(ActionFailure("rejected", message: text)))
            try await expectSignedOut(login)
        }
    }

    @Test func `cancelled between two questions it asks no more`() async throws {
        try await begin { provider, login, call in
            try await answer(provider, login, after: .seconds(5), .success(.pending))
            call.cancel()
            #expect(try await call.answered() == .cancelled)
            // In the same step, not some time after it.
            #expect(try login.read(\.outputs.state) == .signedOut)
            try await expectSignedOut(login)
            login.advance(by: .seconds(60))
            #expect(provider.question.calls.count == 1)
        }
    }

    @Test func `cancelled during a question it ends the question`() async throws {
        try await begin { provider, login, call in
            login.advance(by: .seconds(5))
            try await called(provider.question, 1, by: login)
            let question = provider.question.calls[0]
            call.cancel()
            #expect(try await call.answered() == .cancelled)
            #expect(question.isCancelled)
            try await expectSignedOut(login)
        }
    }
}
