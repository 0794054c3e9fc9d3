import Accounts
import FoundationEssentials
import TestSupport
import ViewModelKit
import ViewModelStorage

extension StorageCheck {
    static let vault = [
        StorageCheck("any history of a vault is that of its model, across rotations and deaths") { fixture, random in
            try await checkVaultHistory(fixture, &random)
        },
        StorageCheck("tokens are read during a rotation, and those stored meanwhile after it") { fixture, _ in
            try await fixture.withStore { try await storeDuringRotation($0.vault) }
            try await fixture.withStore { store in
                for uid in 0..<20 as Range<UInt32> {
                    try expect(try await store.vault.token(of: uid, provider: "p"), token(Int(uid)), "token of \(uid)")
                }
            }
        },
    ]

    static let accounts = [
        StorageCheck("a local account keeps all its parts, and its name is compared byte by byte") { fixture, _ in
            let names = ["ada", "Ada", "ada\0", "", "é", "e\u{301}", "🧮"]
            let accounts = names.enumerated().map { index, name in
                LocalAccount(
                    account: name,
                    nickname: index == 0 ? nil : "\(name) \0",
                    password: PasswordHash(parameters: "scrypt \(index)", salt: [0, 255], hash: [UInt8(index)]),
                    balance: "-12.50",
                    coupons: "\(index)"
                )
            }
            try await fixture.withStore { store in
                for account in accounts { try expect(try await store.accounts.add(account), true, "add") }
                for name in names { try expect(try await store.accounts.add(other(named: name)), false, "add again") }
            }
            try await fixture.withStore { store in
                for account in accounts {
                    try expect(try await store.accounts.account(named: account.account), account, "account")
                }
                try expect(try await store.accounts.account(named: "bob"), nil, "an unknown account")
            }
        },
        StorageCheck("of many registrations of one name at the same time, one succeeds") { fixture, _ in
            try await fixture.withStore { store in
                let added = try await withThrowingTaskGroup(of: Bool.self) { group in
                    for _ in 0..<8 { group.addTask { try await store.accounts.add(other(named: "ada")) } }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                try expect(added.filter { $0 }.count, 1, "the number of successes")
            }
        },
    ]

    private static func other(named name: String) -> LocalAccount {
        LocalAccount(account: name, password: PasswordHash(parameters: "other", salt: [], hash: []))
    }

    private static func token(_ number: Int) -> VaultToken {
        VaultToken(
            access: Password("access \(number)"),
            refresh: number % 2 == 0 ? nil : Password("refresh \(number)"),
            // A fraction that `Date` keeps, and that seconds since 1970 do not.
            expiresAt: number % 3 == 0 ? nil : Date(timeIntervalSinceReferenceDate: 821_692_800.1 + Double(number)),
            account: "account\0 \(number)"
        )
    }

    private struct Place: Hashable {
        let uid: UInt32
        let provider: String
    }

    private static func checkVaultHistory(_ fixture: any StorageFixture, _ random: inout Seeded) async throws {
        let places = users.flatMap { uid in ["http", "oauth", "é"].map { Place(uid: uid, provider: $0) } }
        var model: [Place: VaultToken] = [:]
        var store = try await fixture.open(StoreBounds())
        for step in 0..<120 {
            let place = places.randomElement(using: &random) ?? places[0]
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<5:
                model[place] = token(step)
                try await store.vault.store(token(step), of: place.uid, provider: place.provider)
            case 5..<7:
                model[place] = nil
                try await store.vaultRecords.remove(of: place.uid, provider: place.provider)
            case 7: try await store.vault.rotate()
            case 8:
                try expect(try await store.vault.removeUnreadable(), 0, "unreadable tokens, step \(step)")
                try await store.vault.verify()
            default:
                if Bool.random(using: &random) { try await fixture.kill(store) } else { try await store.close() }
                store = try await fixture.open(StoreBounds())
            }
            for place in places {
                let found = try await store.vault.token(of: place.uid, provider: place.provider)
                try expect(found, model[place], "the token of \(place), step \(step)")
            }
        }
        try await store.close()
    }

    private static func storeDuringRotation(_ vault: Vault) async throws {
        try await vault.store(token(100), of: 100, provider: "p")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for uid in 0..<20 as Range<UInt32> {
                group.addTask { try await vault.store(token(Int(uid)), of: uid, provider: "p") }
            }
            group.addTask {
                for _ in 0..<5 { try await vault.rotate() }
            }
            group.addTask {
                for _ in 0..<50 {
                    let found = try await vault.token(of: 100, provider: "p")
                    try expect(found, token(100), "a token that is read meanwhile")
                }
            }
            try await group.waitForAll()
        }
    }
}
