import PostgresSupport
import Synchronization
import TestSupport
import ViewModelHost
import ViewModelStorage

@testable import Accounts

/// The services of two daemons with one store.
///
/// Both use the store of one directory, each through connections of its own. The test passes the notices of changes.
struct TwoDaemons {
    let refreshes = RefreshLock()
    let first: AccountService
    let second: AccountService

    /// Runs a test with daemons that have this provider; `waiting` is called when one of them waits for a refresh.
    static func run(
        _ provider: any AccountProvider,
        waiting: @escaping @Sendable () -> Void = {},
        _ body: (TwoDaemons) async throws -> Void
    ) async throws {
        let directory = try TemporaryDirectory()
        let logger = AccountFixture.logger
        let stores = [
            try await TestStore.open(in: directory.path, node: "first", logger: logger),
            try await TestStore.open(in: directory.path, node: "second", logger: logger),
        ]
        let clock = SignInClock(now: { .zero }) { _ in
            waiting()
            await Task.yield()
        }
        let daemons = TwoDaemons(stores, provider, clock)
        try await daemons.first.run {
            try await daemons.second.run { try await body(daemons) }
        }
        for store in stores { try await store.close() }
    }

    private init(_ stores: [any StateStorage], _ provider: any AccountProvider, _ clock: SignInClock) {
        let logger = AccountFixture.logger
        let daemons = stores.map { [refreshes] store in
            let shared = SharedStore(base: store, refreshes: refreshes)
            return AccountService(provider: provider, store: shared, logger: logger, clock: clock)
        }
        (first, second) = (daemons[0], daemons[1])
    }
}

/// A store that two daemons share, with the refreshes of the test.
private struct SharedStore: StateStorage {
    let base: any StateStorage
    let refreshes: RefreshLock

    var vaultRecords: any VaultRecords { base.vaultRecords }
    var vaultKeys: VaultKeys { base.vaultKeys }
    var cache: any Cache { base.cache }
    var outbox: any Outbox { base.outbox }
    var accounts: any LocalAccounts { base.accounts }
    var sessions: any Store { base.sessions }
    var userNumbers: any UserNumbers { base.userNumbers }
    var sharing: (any SharedStorage)? { refreshes }

    func adopt(_ bounds: StoreBounds) { base.adopt(bounds) }
    func health() -> StorageHealth { base.health() }
    func probe(_ answer: @escaping @Sendable (Result<Void, StoreError>) -> Void) { base.probe(answer) }
    func records() async throws(StoreError) -> StoreRecords { try await base.records() }
    func fill(with records: StoreRecords) async throws(StoreError) { try await base.fill(with: records) }
    func close() async throws(StoreError) { try await base.close() }
}

/// The refreshes in progress, of both daemons.
final class RefreshLock: SharedStorage {
    private let uids = Mutex<Set<UInt32>>([])

    /// Whether no refresh is in progress.
    var isFree: Bool { uids.withLock { $0.isEmpty } }

    func run(_ report: @escaping @Sendable (StorageChange) async -> Bool) async {}

    func forget(_ uid: UInt32) {}

    func beginRefresh(of uid: UInt32, provider: String) async throws(StoreError) -> Bool {
        uids.withLock { $0.insert(uid).inserted }
    }

    func endRefresh(of uid: UInt32, provider: String) async {
        uids.withLock { _ = $0.remove(uid) }
    }
}
