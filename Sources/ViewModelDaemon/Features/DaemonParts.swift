package import Logging
package import ViewModelConfiguration
package import ViewModelKit
package import ViewModelServer
package import ViewModelStorage
package import ViewModelStore

/// What the features add to a daemon that is about to start.
package struct DaemonParts: Sendable {
    package let configuration: DaemonConfiguration
    /// Makes the ViewModels to host in place of the author's ones; the daemon keeps nothing then.
    package var replacement: (@Sendable (Logger) throws -> ViewModelCatalog)?
    package var observer: (@Sendable (Logger) throws -> any MessageObserver)?
    /// Makes the service over the store, inside which the server runs.
    package var service: (@Sendable (any StateStorage, Logger) async throws -> any StorageService)?
    /// What `--check-config` says beside the configuration.
    package var findings: [String] = []
}

/// A service over the store, which the sessions of the server use.
package protocol StorageService: Sendable {
    /// Provides the services that ViewModels use.
    func provide(in catalog: inout ViewModelCatalog)

    /// Reads what the first reply to a user contains.
    func prepare(_ uid: UInt32) async

    /// Removes the data of a user from memory, who has neither a connection nor a session any more.
    ///
    /// It is short, and returns false if unfinished work keeps some of the data. It is called again then.
    func forget(_ uid: UInt32) -> Bool

    /// Reads data again that another daemon with the same store has changed.
    ///
    /// - Returns: false if data of this service could not be read.
    func reread(_ change: StorageChange) async -> Bool

    /// Runs while `body` runs.
    func run(_ body: () async throws -> Void) async throws
}

/// A store that a feature opens in place of SQLite.
package struct SelectedStore: Sendable {
    /// The key of the configuration that selects it.
    package let key: String
    /// The remedy for a command that needs the state directory.
    package let remedy: String
    /// Opens it.
    package let open: Open

    /// Opens a store with the configuration of the state directory.
    ///
    /// A command that repairs the vault may have another key than the other daemons with the same store.
    package typealias Open =
        @Sendable (StateStoreConfiguration, _ repairsVault: Bool, Logger) async throws(StoreError) -> any StateStorage

    package init(key: String, remedy: String, open: @escaping Open) {
        self.key = key
        self.remedy = remedy
        self.open = open
    }
}
