import Testing

@testable import ViewModelGateway

/// The limit of connections.
@Suite struct ConnectionRegistryTests {
    private final class Connection: GatewayConnection {
        var isDropped = false
        func tick() {}
        func stop() {}
        func drop() { isDropped = true }
    }

    @Test func `at the limit the oldest stranger is dropped`() throws {
        var registry = ConnectionRegistry(limit: 2)
        let (known, stranger, late) = (Connection(), Connection(), Connection())
        let first = registry.add(known)
        let key = try #require(first)
        registry.admit(key)
        let second = registry.add(stranger)
        #expect(second != nil)
        let third = registry.add(late)
        let last = try #require(third)
        #expect(stranger.isDropped)
        #expect(!known.isDropped)
        #expect(registry.count == 2)
        registry.admit(last)
        let refused = registry.add(Connection())
        #expect(refused == nil)
        registry.remove(key)
        let admitted = registry.add(Connection())
        #expect(admitted != nil)
    }
}
