package import Accounts
import ArgumentParser
import Logging
import ViewModelConfiguration
public import ViewModelDaemon
package import ViewModelKit
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
        FeatureKeys(
            AccountSettings.keys + OutboxSettings.keys + CacheSettings.keys + VaultSettings.keys
        ) { configuration, locations in
            (configuration.contradictions(locations), configuration.unsafeAddresses(locations))
        }
    }
    var commands: [any ParsableCommand.Type] { [VaultCommand.self] }

    func adapt(_ store: inout StateStoreConfiguration, to configuration: DaemonConfiguration) {
        store.hasVault = true
        let (outbox, cache) = (configuration[OutboxSettings.self], configuration[CacheSettings.self])
        store.bounds.outboxItems = outbox.outboxItemsPerUser
        store.bounds.outboxBytes = outbox.outboxBytesPerUser
        store.bounds.cacheBytes = cache.maximumBytes
        store.bounds.cacheAge = .seconds(cache.maximumAgeSeconds)
    }

    func prepare(_ parts: inout DaemonParts, _ flags: NoOptions) throws {
        let settings = parts.configuration[AccountSettings.self]
        parts.service = { store, logger in
            // Without the right vault key, users would be signed out for no visible reason. The daemon does not start then.
            try await store.vault.verify()
            return AccountService(provider: try settings.makeProvider(over: store), store: store, logger: logger)
        }
    }
}

extension AccountService: StorageService {
    package func provide(in catalog: inout ViewModelCatalog) {
        catalog.provide(self)
    }
}
