import Foundation
import GRDB
import Testing
import ViewModelKit
import ViewModelStore

@testable import Accounts

@Suite struct `Accounts in the daemon` {
    private static func provider(_ store: StateStore) -> any AccountProvider {
        LocalProvider(accounts: store.accounts, cost: .init(rounds: 16, blockSize: 1, parallelism: 1))
    }

    private static var credentials: Credentials { Credentials(account: "ada", password: Desk.password) }

    @Test func `a new account signs in, also after a restart`() async throws {
        try await Desk.with(Self.provider) { desk in
            let page = try await desk.accounts.register(Self.credentials, nickname: "Ada", of: Desk.ada)
            #expect(page == AccountPage(account: "ada", nickname: "Ada", balance: "0", coupons: "0"))
            #expect(desk.accounts.snapshot(of: Desk.ada).state == .signedOut)
            try await desk.signIn()
            try await desk.accounts.deliver("hello", key: "k", of: Desk.ada)
        } again: { desk in
            let outcome = try await desk.accounts.autoLogin(of: Desk.ada)
            let page = AccountPage(account: "ada", nickname: "Ada", balance: "0", coupons: "0")
            #expect(outcome == .signedIn(page))
        }
    }

    @Test func `a name is taken once`() async throws {
        try await Desk.with(Self.provider) { desk in
            _ = try await desk.accounts.register(Self.credentials, nickname: nil, of: Desk.ada)
            let error = try await desk.failure {
                _ = try await desk.accounts.register(Self.credentials, nickname: nil, of: Desk.ada)
            }
            #expect(error.kind == .accountTaken)
        }
    }

    @Test func `a wrong password and an unknown account fail alike`() async throws {
        try await Desk.with(Self.provider) { desk in
            let unknown = try await desk.failure { try await desk.signIn() }
            _ = try await desk.accounts.register(
                Credentials(account: "ada", password: "something else"),
                nickname: nil,
                of: Desk.ada
            )
            let wrong = try await desk.failure { try await desk.signIn() }
            #expect(unknown == wrong)
            #expect(wrong.kind == .invalidCredentials)
        }
    }

    @Test func `another password makes the tokens of the former one useless`() async throws {
        try await Desk.with(Self.provider) { desk in
            _ = try await desk.accounts.register(Self.credentials, nickname: nil, of: Desk.ada)
            try await desk.signIn()
            let other = try await PasswordHasher(cost: .init(rounds: 16, blockSize: 1, parallelism: 1))
                .hash("something else", for: Desk.ada)
            let file = try DatabaseQueue(path: "\(desk.directory)/viewmodeld.sqlite")
            try await file.write { db in
                try db.execute(
                    sql: "UPDATE account SET parameters = ?, salt = ?, hash = ?",
                    arguments: [other.parameters, Data(other.salt), Data(other.hash)]
                )
            }
            try file.close()
            guard case .refused = try await desk.accounts.autoLogin(of: Desk.ada) else {
                Issue.record("still signed in")
                return
            }
        }
    }

    @Test func `a password is hashed at the usual cost`() async throws {
        let hasher = PasswordHasher()
        let hash = try await hasher.hash(Desk.password, for: 0)
        #expect(hash.parameters == "scrypt 32768 8 3")
        #expect(try await hasher.verify(Desk.password, hash, for: 0))
        #expect(try await !hasher.verify("Correct horse battery", hash, for: 0))
    }
}
