import Accounts
import ViewModelHost
import ViewModelStorage

extension StorageCheck {
    static let life = [
        StorageCheck("an open store is healthy and answers the probe") { fixture, _ in
            try await fixture.withStore { store in
                _ = try await store.outbox.add("text", of: users[0])
                try expect(store.health().healthy, "the store is not healthy")
                try expect(store.health().bytes > 0, "the store has no size")
                let answer = await withCheckedContinuation { continuation in
                    store.probe { continuation.resume(returning: $0) }
                }
                try answer.get()
            }
        },
        StorageCheck("a closed store refuses every call with the kind closed") { fixture, _ in
            let store = try await fixture.open(StoreBounds())
            try await store.close()
            let calls: [(String, () async throws -> Void)] = [
                ("add", { _ = try await store.outbox.add("text", of: users[0]) }),
                ("items", { _ = try await store.outbox.items(of: users[0]) }),
                ("token", { _ = try await store.vault.token(of: users[0], provider: "http") }),
                ("entry", { _ = try await store.cache.entry(of: users[0]) }),
                ("account", { _ = try await store.accounts.account(named: "ada") }),
                ("acquire", { _ = try await store.sessions.acquire(desk, mayCreate: true) }),
                ("loadValues", { _ = try await store.sessions.loadValues(of: .daemon) }),
            ]
            for (name, call) in calls {
                do {
                    try await call()
                    throw Failure(description: "\(name) of a closed store succeeded")
                } catch let error as StoreError {
                    try expect(error.kind, .closed, name)
                    try expect(!error.isRetryable, "\(name) can be retried")
                }
            }
        },
    ]
}
