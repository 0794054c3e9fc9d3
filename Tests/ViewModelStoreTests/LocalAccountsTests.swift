import TestSupport
import Testing

@testable import ViewModelStorage
@testable import ViewModelStore

@Suite struct LocalAccountsTests {
    let hash = PasswordHash(parameters: "scrypt 15 8 1", salt: [1, 0, 2], hash: [3, 0, 4])

    @Test func `a new account has nothing and is there after a restart`() async throws {
        let directory = try TemporaryDirectory()
        var store = try await openStore(directory)
        #expect(try await store.accounts.add(LocalAccount(account: "anna", nickname: "Änni", password: hash)))
        try await store.close()

        store = try await openStore(directory)
        let account = try await store.accounts.account(named: "anna")
        #expect(account == LocalAccount(account: "anna", nickname: "Änni", password: hash, balance: "0", coupons: "0"))
        #expect(try await store.accounts.account(named: "Anna") == nil)
        try await store.close()
    }

    @Test func `a name that several take at the same time is taken once`() async throws {
        let store = try await openStore(TemporaryDirectory())
        let hash = hash
        let won = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<8 {
                group.addTask {
                    try await store.accounts.add(
                        LocalAccount(account: "anna", nickname: "\(number)", password: hash)
                    )
                }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }

        #expect(won == 1)
        try await store.close()
    }
}
