import Testing

@testable import Accounts

@Suite struct UserTableTests {
    private final class User: Sendable {}

    private let table = UserTable { _ in User() }

    @Test func `a user has one object until it is forgotten`() {
        #expect(table.present(1) == nil)
        #expect(table[1] === table[1])
        #expect(table[1] !== table[2])
        #expect(table.forget(1))
        #expect(table.present(1) == nil)
        #expect(table.present(2) != nil)
        // Nothing is there to forget.
        #expect(table.forget(1))
    }

    @Test func `an object that works stays the one of its user`() {
        let working = table[1]
        #expect(!table.forget(1))
        #expect(table.present(1) === working)
        #expect(table[1] === working)
    }
}
