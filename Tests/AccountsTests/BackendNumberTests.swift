import Foundation
import TestSupport
import Testing
import ViewModelKit
import ViewModelStorage

@testable import Accounts

@Suite struct `Numbers of a backend` {
    @Test(arguments: [("1e21", 86_400.0), ("1e12", 86_400), ("-1e21", 0), ("-5", 0), ("1e308", 86_400), ("600", 600)])
    func `a device code is good for a day at most`(number: String, seconds: Double) throws {
        let text = """
            {"device_code": "d", "user_code": "u", "verification_uri": "https://x", "expires_in": \(number),
            "interval": \(number)}
            """
        let grant = try JSONDecoder().decode(DeviceAuthorization.self, from: Data(text.utf8)).grant
        let remaining = grant.remaining / .seconds(1)
        #expect(remaining <= seconds && remaining >= seconds - 60)
        #expect(grant.interval >= .seconds(1) && grant.interval <= .seconds(3_600))
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity, 1e300])
    func `a date that a provider of one's own makes ends no process`(seconds: Double) {
        let prompt = DevicePrompt(
            userCode: "u",
            verificationUri: "https://x",
            verificationUriComplete: nil,
            expiresAt: Date(timeIntervalSinceReferenceDate: seconds)
        )
        let remaining = DeviceGrant(prompt: prompt, code: Secret("d")).remaining
        #expect(remaining >= .zero && remaining <= .seconds(86_400))
    }

    @Test(arguments: ["1e21", "-1e21", "1e308"])
    func `the end of a token is a date that can be kept`(number: String) async throws {
        let login = #"{"token": "t", "expires_in": \#(number), "auto_login": {"account": "ada"}}"#
        let backend = try await Backend { _ in .json(login) }
        try await AccountFixture.with(backend) { fixture in
            try await fixture.signIn()
            let token = try await fixture.store.vault.token(
                of: AccountFixture.ada,
                provider: fixture.accounts.provider.name
            )
            let end = try #require(token?.expiresAt).timeIntervalSinceNow
            #expect(end > -60 && end <= 315_360_000)
        }
    }

    @Test(
        arguments: [
            "scrypt 9223372036854775807 8 3", "scrypt 32768 9223372036854775807 3",
            "scrypt 32768 8 9223372036854775807", "scrypt 0 8 3", "scrypt -2 8 3", "scrypt 3 8 1",
            "scrypt 1048576 32 1", "scrypt 2 0 0", "scrypt", "", "md5 2 1 1",
        ]
    )
    func `a hash whose cost makes no sense fits no password`(parameters: String) async throws {
        let hasher = PasswordHasher(cost: .init(rounds: 16, blockSize: 1, parallelism: 1))
        let hash = PasswordHash(parameters: parameters, salt: [], hash: [])
        #expect(try await !hasher.verify("correct horse", hash, for: 0))
    }

    @Test func `a hash without salt is compared like any other`() async throws {
        let hasher = PasswordHasher(cost: .init(rounds: 16, blockSize: 1, parallelism: 1))
        let hash = PasswordHash(parameters: "scrypt 16 1 1", salt: [], hash: [])
        #expect(try await !hasher.verify("correct horse", hash, for: 0))
    }
}
