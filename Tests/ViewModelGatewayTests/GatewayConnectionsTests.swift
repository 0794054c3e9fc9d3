import Testing

@testable import ViewModelGateway

/// The limit of connections.
@Suite struct GatewayConnectionsTests {
    private final class Connection: GatewayConnection {
        var isDropped = false
        func tick() {}
        func stop() {}
        func drop() { isDropped = true }
    }

    @Test func `at the limit the oldest connection without a token is dropped`() throws {
        var registry = GatewayConnections(limit: 3)
        let (known, unknown, other, late) = (Connection(), Connection(), Connection(), Connection())
        let first = registry.add(known)
        let key = try #require(first)
        registry.admit(key)
        let second = registry.add(unknown)
        #expect(second != nil)
        let third = registry.add(other)
        let fourth = registry.add(late)
        #expect(unknown.isDropped)
        #expect(!known.isDropped && !other.isDropped)
        #expect(registry.count == 3)
        for key in [third, fourth] { registry.admit(try #require(key)) }
        let refused = registry.add(Connection())
        #expect(refused == nil)
        registry.remove(key)
        let admitted = registry.add(Connection())
        #expect(admitted != nil)
    }

    @Test func `a connection of a person that waits for a request makes room`() throws {
        var registry = GatewayConnections(limit: 2, personLimit: 1)
        let (idle, busy) = (Connection(), Connection())
        for (connection, person) in [(idle, "ada"), (busy, "bob")] {
            let key = try registry.added(connection)
            let admitted = registry.admit(key, of: person)
            #expect(admitted)
            if connection === idle { registry.rest(key) }
        }
        let key = try registry.added(Connection())
        #expect(idle.isDropped && !busy.isDropped)
        let admitted = registry.admit(key, of: "ada")
        #expect(admitted)
        let refused = registry.add(Connection())
        #expect(refused == nil)
    }

    @Test func `a connection whose person has too many makes room once it has its refusal`() throws {
        var registry = GatewayConnections(limit: 2, personLimit: 1)
        let (used, refused) = (Connection(), Connection())
        let keys = [try registry.added(used), try registry.added(refused)]
        let admitted = keys.map { key in
            registry.admit(key)
            return registry.admit(key, of: "ada")
        }
        #expect(admitted == [true, false])
        let early = registry.add(Connection())
        #expect(early == nil)
        registry.rest(keys[1])
        registry.admit(keys[1])
        let busy = registry.add(Connection())
        #expect(busy == nil)
        registry.rest(keys[1])
        let late = registry.add(Connection())
        #expect(late != nil && refused.isDropped && !used.isDropped)
    }

    @Test func `a person has no more connections than their limit`() throws {
        var registry = GatewayConnections(limit: 5, personLimit: 2)
        let keys = try (0..<4).map { _ in try registry.added(Connection()) }
        let admitted = keys.map { registry.admit($0, of: "ada") }
        #expect(admitted == [true, true, false, false])
        // The next request of a connection may be that of the same person, or of another one.
        let next = [registry.admit(keys[1], of: "ada"), registry.admit(keys[2], of: "bob")]
        #expect(next == [true, true])
        let moved = [registry.admit(keys[0], of: "bob"), registry.admit(keys[3], of: "ada")]
        #expect(moved == [true, true])
        registry.remove(keys[1])
        let later = [registry.admit(keys[0], of: "ada"), registry.admit(keys[0], of: "ada")]
        #expect(later == [true, true])
    }

    @Test func `a stranger that stays does not keep the memory of those that have gone`() throws {
        var registry = GatewayConnections(limit: 3)
        let stranger = Connection()
        let first = registry.add(stranger)
        for _ in 0..<1000 { registry.remove(try registry.added(Connection())) }
        for _ in 0..<2 { registry.admit(try registry.added(Connection())) }
        #expect(!stranger.isDropped && registry.count == 3)
        let late = registry.add(Connection())
        #expect(stranger.isDropped && first != nil && late != nil)
    }
}

extension GatewayConnections {
    /// Adds a connection, which has to find room.
    fileprivate mutating func added(_ connection: any GatewayConnection) throws -> Key {
        let key = add(connection)
        return try #require(key)
    }
}
