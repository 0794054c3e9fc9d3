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
}
