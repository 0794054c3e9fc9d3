import Foundation
import Testing
import ViewModelKit
import ViewModelStorage

@testable import Accounts

@Suite struct `A sealed token` {
    private let key = VaultKey.random()
    private let token = VaultToken(
        access: Password("at"),
        refresh: Password("rt"),
        expiresAt: Date(timeIntervalSince1970: 1_900_000_000),
        account: "ada"
    )

    private func sealed() throws -> SealedToken {
        try TokenEncryption.seal(token, uid: 1000, provider: "local", with: key)
    }

    @Test func `is opened in its row, also after its key was replaced`() throws {
        #expect(try TokenEncryption.open(sealed(), uid: 1000, provider: "local", with: key) == token)
        let other = VaultKey.random()
        let row = try VaultRow(uid: 1000, provider: "local", token: sealed())
        let moved = try TokenEncryption.reseal(row, from: key, to: other).token
        #expect(moved.keyID == other.id)
        #expect(try TokenEncryption.open(moved, uid: 1000, provider: "local", with: other) == token)
        #expect(throws: (any Error).self) {
            try TokenEncryption.open(moved, uid: 1000, provider: "local", with: key)
        }
    }

    @Test(arguments: [(1001, "local"), (1000, "oauth"), (1000, "locals")] as [(UInt32, String)])
    func `is not opened in the row of another user or provider`(uid: UInt32, provider: String) throws {
        let sealed = try sealed()
        #expect(throws: (any Error).self) { try TokenEncryption.open(sealed, uid: uid, provider: provider, with: key) }
    }

    @Test func `is not opened if a bit was changed`() throws {
        let sealed = try sealed()
        for index in sealed.sealed.indices {
            var changed = sealed.sealed
            changed[index] ^= 1
            #expect(throws: (any Error).self) {
                try TokenEncryption.open(
                    SealedToken(keyID: key.id, sealed: changed),
                    uid: 1000,
                    provider: "local",
                    with: key
                )
            }
        }
    }

    @Test func `is another one each time`() throws {
        #expect(try sealed().sealed != sealed().sealed)
    }
}
