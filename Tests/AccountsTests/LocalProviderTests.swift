import Foundation
import GRDB
import PostgresSupport
import Testing
import ViewModelKit
import ViewModelStorage

@testable import Accounts

@Suite struct `Accounts in the daemon` {
    private static func provider(_ store: any StateStorage) -> any AccountProvider {
        LocalProvider(accounts: store.accounts, cost: .init(rounds: 16, blockSize: 1, parallelism: 1))
    }

    private static var credentials: Credentials { Credentials(account: "ada", password: AccountFixture.password) }

    @Test func `a new account signs in, also after a restart`() async throws {
        try await AccountFixture.with(Self.provider) { fixture in
            let page = try await fixture.accounts.register(Self.credentials, nickname: "Ada", of: AccountFixture.ada)
            #expect(page == AccountPage(account: "ada", nickname: "Ada", balance: "0", coupons: "0"))
            #expect(fixture.accounts.snapshot(of: AccountFixture.ada).state == .signedOut)
            try await fixture.signIn()
            try await fixture.accounts.deliver("hello", key: "k", of: AccountFixture.ada)
        } again: { fixture in
            let outcome = try await fixture.accounts.autoLogin(of: AccountFixture.ada)
            let page = AccountPage(account: "ada", nickname: "Ada", balance: "0", coupons: "0")
            #expect(outcome == .signedIn(page))
        }
    }

    @Test func `a name is taken once`() async throws {
        try await AccountFixture.with(Self.provider) { fixture in
            _ = try await fixture.accounts.register(Self.credentials, nickname: nil, of: AccountFixture.ada)
            let error = try await fixture.failure {
                _ = try await fixture.accounts.register(Self.credentials, nickname: nil, of: AccountFixture.ada)
            }
            #expect(error.kind == .accountTaken)
        }
    }

    @Test func `a wrong password and an unknown account fail alike`() async throws {
        try await AccountFixture.with(Self.provider) { fixture in
            let unknown = try await fixture.failure { try await fixture.signIn() }
            _ = try await fixture.accounts.register(
                Credentials(account: "ada", password: "something else"),
                nickname: nil,
                of: AccountFixture.ada
            )
            let wrong = try await fixture.failure { try await fixture.signIn() }
            #expect(unknown == wrong)
            #expect(wrong.kind == .invalidCredentials)
        }
    }

    @Test(.enabled(if: !TestStore.isShared, "the test changes SQLite's file"))
    func `another password makes the tokens of the former one useless`() async throws {
        try await AccountFixture.with(Self.provider) { fixture in
            _ = try await fixture.accounts.register(Self.credentials, nickname: nil, of: AccountFixture.ada)
            try await fixture.signIn()
            let other = try await PasswordHasher(cost: .init(rounds: 16, blockSize: 1, parallelism: 1))
                .hash("something else", for: AccountFixture.ada)
            let file = try DatabaseQueue(path: "\(fixture.directory)/viewmodeld.sqlite")
            try await file.write { db in
                try db.execute(
                    sql: "UPDATE account SET parameters = ?, salt = ?, hash = ?",
                    arguments: [other.parameters, Data(other.salt), Data(other.hash)]
                )
            }
            try file.close()
            guard case .refused = try await fixture.accounts.autoLogin(of: AccountFixture.ada) else {
                Issue.record("still signed in")
                return
            }
        }
    }

    @Test func `a password is hashed at the usual cost`() async throws {
        let hasher = PasswordHasher()
        let hash = try await hasher.hash(AccountFixture.password, for: 0)
        #expect(hash.parameters == "scrypt 32768 8 3")
        #expect(try await hasher.verify(AccountFixture.password, hash, for: 0))
        #expect(try await !hasher.verify("Correct horse battery", hash, for: 0))
    }
}
