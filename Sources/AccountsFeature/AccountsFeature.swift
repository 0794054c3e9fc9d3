import Accounts
import ArgumentParser
import Logging
import ViewModelConfiguration
public import ViewModelDaemon
import ViewModelKit
import ViewModelStorage
import ViewModelStore

extension DaemonFeature {
    /// Accounts of users, with a vault for tokens, a cache of account pages and outboxes.
    ///
    /// ViewModels use them as a `SessionAccount` and a `SessionOutbox`. The section `account` of the configuration says who
    /// holds the accounts: the daemon itself, a JSON API or an OAuth provider.
    public static var accounts: DaemonFeature { DaemonFeature(AccountsFeature()) }
}

struct AccountsFeature: Feature {
    var keys: FeatureKeys {
        FeatureKeys(ConfigurationKey.accounts) { configuration, locations in
            (configuration.contradictions(locations), configuration.unsafeAddresses(locations))
        }
    }
    var commands: [any ParsableCommand.Type] { [VaultCommand.self] }

    func adapt(_ store: inout StateStoreConfiguration, to configuration: DaemonConfiguration) {
        store.hasVault = true
        store.keyFile = configuration.vault.keyFile
        store.bounds.cacheBytes = configuration.cache.maximumBytes
        store.bounds.cacheAge = .seconds(configuration.cache.maximumAgeSeconds)
    }

    func prepare(_ parts: inout DaemonParts, _ flags: NoOptions) throws {
        let settings = parts.configuration.account
        parts.services.append { store, logger in
            // Without the right vault key, users would be signed out for no visible reason. The daemon does not start then.
            try await store.vault.verify()
            return StoredAccounts(
                accounts: AccountService(
                    provider: try settings.makeProvider(over: store),
                    store: store,
                    logger: logger
                ),
                outbox: OutboxService(outbox: store.outbox, logger: logger)
            )
        }
    }
}

/// The accounts and the outboxes over a store.
private struct StoredAccounts: StorageService {
    let accounts: AccountService
    let outbox: OutboxService

    func provide(in catalog: inout ViewModelCatalog) {
        catalog.provide(accounts)
        catalog.provide(outbox)
    }

    func prepare(_ uid: UInt32) async {
        await accounts.prepare(uid)
        await outbox.prepare(uid)
    }

    func forget(_ uid: UInt32) -> Bool {
        let areForgotten = (accounts.forget(uid), outbox.forget(uid))
        return areForgotten.0 && areForgotten.1
    }

    func reread(_ change: StorageChange) async -> Bool {
        guard let uid = UInt32(exactly: change.uid) else { return true }
        return switch change.topic {
        case .account: await accounts.reread(uid)
        case .outbox: await outbox.reread(uid)
        case .values: true
        }
    }

    func run(_ body: () async throws -> Void) async throws {
        try await accounts.run { try await outbox.run { try await body() } }
    }
}
