import Synchronization
import Testing

@testable import ViewModelHost

@Suite struct `The health of a daemon` {
    @Test func `is at most a second old`() async throws {
        let isHealthy = Mutex(true)
        let monitor = HealthMonitor(version: "1.0.0", counters: Counters()) {
            StorageHealth(path: "/state", bytes: 1, healthy: isHealthy.withLock { $0 })
        }
        #expect(monitor.reading().storage.healthy)
        isHealthy.withLock { $0 = false }
        try await Task.sleep(for: .seconds(1))
        #expect(!monitor.reading().storage.healthy)
        #expect(monitor.reading().residentBytes > 0)
        #expect(monitor.reading().uptimeSeconds >= 1)
    }
}
