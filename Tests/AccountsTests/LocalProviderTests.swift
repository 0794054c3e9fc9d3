import Foundation
import GRDB
import PostgresSupport
import TestSupport
import Testing
import ViewModelKit
import ViewModelStorage

@testable import Accounts

@Suite struct `Accounts in the daemon` {
    private static let cost = PasswordHasher.Cost(rounds: 16, blockSize: 1, parallelism: 1)

    private static func provider(_ store: any StateStorage) -> any AccountProvider {
        LocalProvider(accounts: store.accounts, cost: cost)
    }

    private static func register(_ fixture: AccountFixture, nickname: String? = nil) async throws -> AccountPage {
        try await fixture.accounts.provider.register(
            "ada",
            password: AccountFixture.password,
            nickname: nickname,
            for: AccountFixture.ada
        )
    }

    @Test func `a new account signs in, also after a restart, and its name is taken`() async throws {
        let page = AccountPage(
            account: "ada",
            nickname: "Ada",
            details: ["balance": "0", "coupon_num": "0"]
        )
        try await AccountFixture.with(Self.provider) { fixture in
            #expect(try await Self.register(fixture, nickname: "Ada") == page)
            #expect(try await failure { _ = try await Self.register(fixture) }.kind == .accountTaken)
            #expect(fixture.snapshot().state == .signedOut)
            try await fixture.signIn()
            try await fixture.deliver()
        } again: { fixture in
            let login = try await fixture.autoLogin()
            #expect(login == .signedIn(page))
        }
    }

    @Test func `a wrong password and an unknown account fail alike`() async throws {
        try await AccountFixture.with(Self.provider) { fixture in
            let unknown = try await failure { try await fixture.signIn() }
            _ = try await Self.register(fixture)
            let wrong = try await failure { try await fixture.signIn(password: "something else") }
            #expect(unknown == wrong)
            #expect(wrong.kind == .invalidCredentials)
        }
    }

    @Test(.enabled(if: !TestStore.isShared, "the test changes SQLite's file"))
    func `another password makes the tokens of the former one useless`() async throws {
        try await AccountFixture.with(Self.provider) { fixture in
            _ = try await Self.register(fixture)
            try await fixture.signIn()
            let other = try await PasswordHasher(cost: Self.cost).hash("something else", for: AccountFixture.ada)
            let file = try DatabaseQueue(path: "\(fixture.directory.path)/viewmodeld.sqlite")
            try await file.write { db in
                try db.execute(
                    sql: "UPDATE account SET parameters = ?, salt = ?, hash = ?",
                    arguments: [other.parameters, Data(other.salt), Data(other.hash)]
                )
            }
            try file.close()
            _ = try await fixture.autoLogin()
            #expect(fixture.snapshot().state == .signedOut)
        }
    }
}
