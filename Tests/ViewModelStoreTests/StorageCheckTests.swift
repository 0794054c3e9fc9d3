import FoundationEssentials
import StorageChecks
import Synchronization
import TestSupport
import Testing
import ViewModelStorage

@testable import ViewModelStore

/// The checks that every store has to pass, on SQLite.
@Suite struct StorageCheckTests {
    @Test(arguments: StorageCheck.all)
    func `the store in SQLite passes`(check: StorageCheck) async throws {
        try await check.run(on: SQLiteFixture())
    }
}

/// A state directory whose copies are what a dead process leaves.
private final class SQLiteFixture: StorageFixture {
    private let directory: Mutex<TemporaryDirectory>
    private let clock = ManualClock()

    init() throws {
        directory = Mutex(try TemporaryDirectory())
    }

    var hasFences: Bool { false }

    func open(_ bounds: StoreBounds) async throws -> any StateStorage {
        try await openStore(directory.withLock { $0 }) {
            $0.bounds = bounds
            $0.use(self.clock)
        }
    }

    func kill(_ store: any StateStorage) async throws {
        let remains = try directory.withLock { try $0.copy() }
        try await store.close()
        directory.withLock { $0 = remains }
    }

    func pass(_ time: Duration) async throws {
        clock.advance(by: Double(time.components.seconds))
    }
}
