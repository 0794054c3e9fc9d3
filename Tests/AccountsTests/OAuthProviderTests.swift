import Synchronization
import Testing
import ViewModelKit
import ViewModelStorage

@testable import Accounts

@Suite struct `Accounts with an OAuth provider` {
    /// Runs a test with a server whose state was changed before.
    private func run(
        secret: String? = "s&cret",
        passwordGrant: Bool = true,
        _ change: (inout OAuthServer.State) -> Void = { _ in },
        _ body: @escaping (AccountFixture, OAuthServer) async throws -> Void
    ) async throws {
        let server = try await OAuthServer.start()
        server.state.withLock { change(&$0) }
        let configuration = OAuthConfiguration(
            issuer: server.url,
            clientID: "daemon",
            clientSecret: secret.map { Password($0) },
            passwordGrant: passwordGrant
        )
        try await AccountFixture.with(
            { _ in try OAuthProvider(configuration: configuration, timeout: .seconds(60)) },
            { try await body($0, server) }
        )
        await server.stop()
    }

    private static let page = AccountPage(
        account: "ada",
        nickname: "Ada",
        details: ["phone_number": "+49****5678"]
    )

    @Test(arguments: ["client_secret_basic", "client_secret_post", "none"])
    func `a password is exchanged for a token, however the client is known`(method: String) async throws {
        try await run(secret: method == "none" ? nil : "s&cret", { $0.authentication = method }) { fixture, _ in
            try await fixture.signIn()
            #expect(fixture.snapshot().page == Self.page)
        }
    }

    @Test func `an unusable address of messages is refused before anything is connected`() {
        let configuration = OAuthConfiguration(issuer: "http://127.0.0.1:1", clientID: "daemon", messagesURL: "x")
        #expect(throws: WebAddress.Problem.self) {
            try OAuthProvider(configuration: configuration, timeout: .seconds(60))
        }
    }

    /// A server that refuses a sign-in, and the error.
    struct Refusal: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let error: AccountError
        var account = "ada"
        var change: @Sendable (inout OAuthServer.State) -> Void = { _ in }
    }

    private static let senseless = AccountError(.unreachable, "The backend's answer makes no sense")
    static let refusals: [Refusal] =
        [
            Refusal(
                testDescription: "a wrong password",
                error: AccountError(.invalidCredentials, "no such pair"),
                account: "bob"
            ),
            Refusal(
                testDescription: "a refusal without a word",
                error: AccountError(.rejected, "The provider refused (400)"),
                account: "bob",
                change: { $0.isSilent = true }
            ),
            Refusal(
                testDescription: "a fresh token that userinfo refuses",
                error: AccountError(.rejected, "The provider refused: invalid_token"),
                change: { $0.issuesUselessTokens = true }
            ),
        ]
        + [#"{"sub": ""}"#, #"{"sub": " \t"}"#, #"{"sub": "", "preferred_username": "ada"}"#].map { user in
            Refusal(testDescription: user, error: senseless, change: { $0.user = user })
        }

    @Test(arguments: refusals)
    func `a sign-in fails in the provider's words`(refusal: Refusal) async throws {
        try await run(refusal.change) { fixture, _ in
            let error = try await failure { try await fixture.signIn(as: refusal.account) }
            #expect(error == refusal.error)
            #expect(fixture.snapshot().state == .signedOut)
        }
    }

    @Test(arguments: [(false, nil, AccountError.Kind.unsupported), (true, "https://elsewhere.example", .unreachable)])
    func `no password is sent without the password grant or to another issuer`(
        passwordGrant: Bool,
        issuer: String?,
        kind: AccountError.Kind
    ) async throws {
        try await run(passwordGrant: passwordGrant, { $0.claimedIssuer = issuer }) { fixture, server in
            let error = try await failure { try await fixture.signIn() }
            #expect(error.kind == kind)
            #expect(server.count("/token") == 0)
        }
    }

    @Test func `simultaneous requests share one refresh after a 401`() async throws {
        try await run { fixture, server in
            try await fixture.signIn()
            server.state.withLock { $0.access = [] }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<10 { group.addTask { _ = try await fixture.autoLogin() } }
                try await group.waitForAll()
            }
            #expect(server.count("/token") == 2)
            #expect(fixture.snapshot().state == .signedIn)
            #expect(try await fixture.token()?.refresh?.revealed == "refresh-2")
        }
    }

    @Test func `a token is refreshed before it expires`() async throws {
        try await run({ $0.lifetime = 5 }) { fixture, server in
            try await fixture.signIn()
            server.state.withLock { $0.lifetime = 3_600 }
            for _ in 0..<3 { _ = try await fixture.autoLogin() }
            #expect(server.count("/token") == 2)
        }
    }

    @Test(arguments: [(false, "too old"), (true, "The provider refused (400)")])
    func `a refresh that is refused signs out`(isSilent: Bool, text: String) async throws {
        try await run { fixture, server in
            try await fixture.signIn()
            server.state.withLock { ($0.isSilent, $0.access, $0.refresh) = (isSilent, [], []) }
            #expect(try await fixture.autoLogin() == .refused(text))
            #expect(fixture.snapshot().state == .signedOut)
        }
    }

    @Test func `a provider that asks to come back later refuses nothing`() async throws {
        try await run { fixture, server in
            try await fixture.signIn()
            server.state.withLock { ($0.isBusy, $0.access) = (true, []) }
            #expect(try await failure { _ = try await fixture.autoLogin() }.kind == .unreachable)
            #expect(fixture.snapshot().state == .signedIn)
            #expect(try await failure { try await fixture.signIn(as: "bob") }.kind == .unreachable)
            server.state.withLock { $0.isBusy = false }
            let page = try #require(fixture.snapshot().page)
            #expect(try await fixture.autoLogin() == .signedIn(page))
        }
    }

    @Test func `a blank name of a user is replaced by the subject`() async throws {
        try await run({ $0.user = #"{"sub": "u-1", "preferred_username": " "}"# }) { fixture, _ in
            try await fixture.signIn()
            #expect(fixture.snapshot().page?.account == "u-1")
        }
    }

    @Test func `signing out revokes both tokens`() async throws {
        let server = Mutex<OAuthServer?>(nil)
        try await run { fixture, its in
            server.withLock { $0 = its }
            try await fixture.signIn()
            try await fixture.accounts[AccountFixture.ada].signOut()
        }
        #expect(server.withLock { $0?.state.withLock { $0.revoked } } == ["refresh-1", "access-1"])
    }

    @Test func `a device grant is shown until it is granted`() async throws {
        try await run({ $0.deviceErrors = ["authorization_pending", "slow_down"] }) { fixture, server in
            let grant = try await fixture.accounts[AccountFixture.ada].beginDevice()
            func expectAnswer(_ name: String) async throws {
                let answer = try await fixture.accounts[AccountFixture.ada].poll(grant).answer
                #expect("\(answer)".hasPrefix(name))
            }
            #expect(grant.interval == .seconds(1))
            #expect(fixture.snapshot().device?.userCode == "ABCD")
            #expect(fixture.snapshot().state == .signingIn)
            try await expectAnswer("pending")
            try await expectAnswer("slowDown")
            server.state.withLock { $0.isBusy = true }
            try await expectAnswer("slowDown")
            server.state.withLock { $0.isBusy = false }
            try await expectAnswer("granted")
            #expect(fixture.snapshot().page?.account == "ada")
            #expect(fixture.snapshot().device == nil)
            #expect(fixture.snapshot().state == .signedIn)
        }
    }

    @Test(arguments: ["access_denied", "expired_token", nil])
    func `a device grant that is denied, too late or of no use is rejected`(answer: String?) async throws {
        try await run({
            $0.deviceErrors = answer.map { [$0] } ?? []
            $0.issuesUselessTokens = true
        }) { fixture, _ in
            let grant = try await fixture.accounts[AccountFixture.ada].beginDevice()
            let error = try await failure { _ = try await fixture.accounts[AccountFixture.ada].poll(grant) }
            #expect(error.kind == .rejected)
            fixture.accounts[AccountFixture.ada].endDevice(grant)
            #expect(fixture.snapshot().state == .signedOut)
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
