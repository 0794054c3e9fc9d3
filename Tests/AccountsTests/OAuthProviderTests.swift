import Synchronization
import Testing
import ViewModelStorage

@testable import Accounts

@Suite struct `Accounts with an OAuth provider` {
    private func run(
        _ server: OAuthServer,
        secret: String? = "s&cret",
        passwordGrant: Bool = true,
        _ body: @escaping (AccountFixture) async throws -> Void
    ) async throws {
        let configuration = OAuthConfiguration(
            issuer: server.url,
            clientID: "daemon",
            clientSecret: secret.map { Secret($0) },
            passwordGrant: passwordGrant
        )
        try await AccountFixture.with(
            { _ in try OAuthProvider(configuration: configuration, timeout: .seconds(60)) },
            body
        )
        await server.stop()
    }

    @Test(arguments: ["client_secret_basic", "client_secret_post", "none"])
    func `a password is exchanged for a token, however the client is known`(method: String) async throws {
        let server = try await OAuthServer.start()
        server.state.withLock { $0.authentication = method }
        try await run(server, secret: method == "none" ? nil : "s&cret") { fixture in
            try await fixture.signIn()
            let page = fixture.accounts.snapshot(of: AccountFixture.ada).page
            #expect(page == AccountPage(account: "ada", nickname: "Ada", phone: "+49****5678"))
        }
    }

    @Test(arguments: [("issuer", nil), ("http://127.0.0.1:1", "messages")])
    func `an unusable address is refused before anything is connected`(issuer: String, messages: String?) {
        let configuration = OAuthConfiguration(issuer: issuer, clientID: "daemon", messagesURL: messages)
        #expect(throws: UnusableURL.self) {
            try OAuthProvider(configuration: configuration, timeout: .seconds(60))
        }
    }

    @Test func `a wrong password fails with the provider's text`() async throws {
        let server = try await OAuthServer.start()
        try await run(server) { fixture in
            let error = try await fixture.failure { try await fixture.signIn(as: "bob") }
            #expect(error == AccountError(.invalidCredentials, "no such pair"))
        }
    }

    @Test func `without the password grant no password is sent`() async throws {
        let server = try await OAuthServer.start()
        try await run(server, passwordGrant: false) { fixture in
            let error = try await fixture.failure { try await fixture.signIn() }
            #expect(error.kind == .unsupported)
            #expect(server.count("/token") == 0)
        }
    }

    @Test func `metadata of another issuer is not believed`() async throws {
        let server = try await OAuthServer.start()
        server.state.withLock { $0.claimedIssuer = "https://elsewhere.example" }
        try await run(server) { fixture in
            let error = try await fixture.failure { try await fixture.signIn() }
            #expect(error.kind == .unreachable)
            #expect(server.count("/token") == 0)
        }
    }

    @Test func `simultaneous requests share one refresh after a 401`() async throws {
        let server = try await OAuthServer.start()
        try await run(server) { fixture in
            try await fixture.signIn()
            server.forgetAccess()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<10 {
                    group.addTask { _ = try await fixture.accounts.autoLogin(of: AccountFixture.ada) }
                }
                try await group.waitForAll()
            }
            #expect(server.count("/token") == 2)
            #expect(fixture.accounts.snapshot(of: AccountFixture.ada).state == .signedIn)
            let token = try await fixture.store.vault.token(of: AccountFixture.ada, provider: "oauth \(server.url)")
            #expect(token?.refresh?.revealed == "refresh-2")
        }
    }

    @Test func `a token is refreshed before it expires`() async throws {
        let server = try await OAuthServer.start()
        server.state.withLock { $0.lifetime = 5 }
        try await run(server) { fixture in
            try await fixture.signIn()
            server.state.withLock { $0.lifetime = 3_600 }
            for _ in 0..<3 {
                _ = try await fixture.accounts.autoLogin(of: AccountFixture.ada)
            }
            #expect(server.count("/token") == 2)
        }
    }

    @Test func `a refresh that is refused signs out`() async throws {
        let server = try await OAuthServer.start()
        try await run(server) { fixture in
            try await fixture.signIn()
            server.state.withLock {
                $0.access = []
                $0.refresh = []
            }
            #expect(try await fixture.accounts.autoLogin(of: AccountFixture.ada) == .refused("too old"))
            #expect(fixture.accounts.snapshot(of: AccountFixture.ada).state == .signedOut)
        }
    }

    @Test func `a provider that asks to come back later refuses nothing`() async throws {
        let server = try await OAuthServer.start()
        try await run(server) { fixture in
            try await fixture.signIn()
            server.state.withLock {
                $0.isBusy = true
                $0.access = []
            }
            let error = try await fixture.failure { _ = try await fixture.accounts.autoLogin(of: AccountFixture.ada) }
            #expect(error.kind == .unreachable)
            #expect(fixture.accounts.snapshot(of: AccountFixture.ada).state == .signedIn)
            #expect(try await fixture.failure { try await fixture.signIn(as: "bob") }.kind == .unreachable)
            server.state.withLock { $0.isBusy = false }
            guard case .signedIn = try await fixture.accounts.autoLogin(of: AccountFixture.ada) else {
                Issue.record("the refresh token is gone")
                return
            }
        }
    }

    @Test func `a provider that refuses without a word is understood all the same`() async throws {
        let server = try await OAuthServer.start()
        try await run(server) { fixture in
            try await fixture.signIn()
            server.state.withLock {
                $0.isSilent = true
                $0.access = []
                $0.refresh = []
            }
            #expect(
                try await fixture.accounts.autoLogin(of: AccountFixture.ada) == .refused("The provider refused (400)")
            )
            #expect(fixture.accounts.snapshot(of: AccountFixture.ada).state == .signedOut)
            let error = try await fixture.failure { try await fixture.signIn(as: "bob") }
            #expect(error == AccountError(.rejected, "The provider refused (400)"))
        }
    }

    @Test func `a fresh token that userinfo refuses is a rejected sign-in, in the provider's words`() async throws {
        let server = try await OAuthServer.start()
        server.state.withLock { $0.issuesUselessTokens = true }
        try await run(server) { fixture in
            let error = try await fixture.failure { try await fixture.signIn() }
            #expect(error == AccountError(.rejected, "The provider refused: invalid_token"))
            let grant = try await fixture.accounts.beginDevice(of: AccountFixture.ada)
            let denied = try await fixture.failure {
                _ = try await fixture.accounts.poll(grant, of: AccountFixture.ada)
            }
            #expect(denied.kind == .rejected)
            fixture.accounts.endDevice(grant, of: AccountFixture.ada)
            #expect(fixture.accounts.snapshot(of: AccountFixture.ada).state == .signedOut)
        }
    }

    @Test(arguments: [#"{"sub": ""}"#, #"{"sub": " \t"}"#, #"{"sub": "", "preferred_username": "ada"}"#])
    func `a user without a name is a bad answer`(user: String) async throws {
        let server = try await OAuthServer.start()
        server.state.withLock { $0.user = user }
        try await run(server) { fixture in
            let error = try await fixture.failure { try await fixture.signIn() }
            #expect(error == AccountError(.unreachable, "The backend's answer makes no sense"))
            #expect(fixture.accounts.snapshot(of: AccountFixture.ada).state == .signedOut)
        }
    }

    @Test func `a blank name of a user is replaced by the subject`() async throws {
        let server = try await OAuthServer.start()
        server.state.withLock { $0.user = #"{"sub": "u-1", "preferred_username": " "}"# }
        try await run(server) { fixture in
            try await fixture.signIn()
            #expect(fixture.accounts.snapshot(of: AccountFixture.ada).page?.account == "u-1")
        }
    }

    @Test func `signing out revokes both tokens`() async throws {
        let server = try await OAuthServer.start()
        try await run(server) { fixture in
            try await fixture.signIn()
            try await fixture.accounts.signOut(of: AccountFixture.ada)
        }
        #expect(server.state.withLock { $0.revoked } == ["refresh-1", "access-1"])
    }

    @Test func `a device grant is shown until it is granted`() async throws {
        let server = try await OAuthServer.start()
        server.state.withLock { $0.deviceErrors = ["authorization_pending", "slow_down"] }
        try await run(server) { fixture in
            let grant = try await fixture.accounts.beginDevice(of: AccountFixture.ada)
            #expect(grant.interval == .seconds(1))
            #expect(fixture.accounts.snapshot(of: AccountFixture.ada).device?.userCode == "ABCD")
            #expect(fixture.accounts.snapshot(of: AccountFixture.ada).state == .signingIn)
            guard case .pending = try await fixture.accounts.poll(grant, of: AccountFixture.ada).answer,
                case .slowDown = try await fixture.accounts.poll(grant, of: AccountFixture.ada).answer
            else {
                Issue.record("another answer")
                return
            }
            server.state.withLock { $0.isBusy = true }
            guard case .slowDown = try await fixture.accounts.poll(grant, of: AccountFixture.ada).answer else {
                Issue.record("too many requests are no refusal")
                return
            }
            server.state.withLock { $0.isBusy = false }
            let page = try await fixture.accounts.poll(grant, of: AccountFixture.ada).page
            #expect(page?.account == "ada")
            #expect(fixture.accounts.snapshot(of: AccountFixture.ada).device == nil)
            #expect(fixture.accounts.snapshot(of: AccountFixture.ada).state == .signedIn)
        }
    }

    @Test(arguments: ["access_denied", "expired_token"])
    func `a device grant that is denied or too late is rejected`(answer: String) async throws {
        let server = try await OAuthServer.start()
        server.state.withLock { $0.deviceErrors = [answer] }
        try await run(server) { fixture in
            let grant = try await fixture.accounts.beginDevice(of: AccountFixture.ada)
            let error = try await fixture.failure { _ = try await fixture.accounts.poll(grant, of: AccountFixture.ada) }
            #expect(error.kind == .rejected)
        }
    }

    @Test func `metadata is looked for where RFC 8414 and OpenID put it`() {
        #expect(
            OAuthMetadata.addresses(of: "https://id.example/tenant/") == [
                "https://id.example/.well-known/oauth-authorization-server/tenant",
                "https://id.example/tenant/.well-known/openid-configuration",
            ]
        )
        #expect(OAuthMetadata.addresses(of: "https://id.example").first?.hasSuffix("-server") == true)
    }
}
