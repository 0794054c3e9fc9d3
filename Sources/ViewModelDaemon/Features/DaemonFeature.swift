package import ArgumentParser
package import ViewModelConfiguration
package import ViewModelStorage
package import ViewModelStore

/// A part of a daemon that its `main` names, such as accounts.
///
/// Each feature is in a library of its own, which adds it to this type: `import AccountsFeature` adds `.accounts`. A daemon
/// compiles only the features that it names:
///
///     await ViewModelDaemon("podcastd", version: "1.0", features: [.accounts, .record]) { catalog in … }.run()
///
/// | library | feature | what it brings |
/// | --- | --- | --- |
/// | `AccountsFeature` | `.accounts` | accounts of users and outboxes, for `SessionAccount` and `SessionOutbox` |
/// | `SharedStoreFeature` | `.sharedStore` | a PostgreSQL database that several machines share |
/// | `MockFeature` | `.mock` | `--mock`: a daemon from a contract |
/// | `RecordFeature` | `.record` | `--record`: transcripts of all connections |
public struct DaemonFeature: Sendable {
    package let feature: any Feature

    /// Creates the value that a `main` names.
    package init(_ feature: any Feature) {
        self.feature = feature
    }
}

/// What a part of a daemon adds to it.
///
/// Each member has a default, which adds nothing.
package protocol Feature: Sendable {
    /// The flags of the daemon's command line.
    associatedtype Flags: ParsableArguments & Sendable = NoOptions

    var keys: FeatureKeys { get }
    /// The commands beside the daemon's own ones.
    var commands: [any ParsableCommand.Type] { get }

    /// Returns the keys of the configuration that flags override, with the flags and the values.
    func overrides(_ flags: Flags) -> [KeyFlag]

    /// Changes how the SQLite store is opened and what its bounds are.
    func adapt(_ store: inout StateStoreConfiguration, to configuration: DaemonConfiguration)

    /// Returns the store to use in place of SQLite, or nil.
    ///
    /// - Throws: `StoreError`, if the configuration selects one that cannot be used.
    func store(_ configuration: DaemonConfiguration) throws(StoreError) -> SelectedStore?

    /// Adds parts to the daemon, before it starts. With `--check-config` it does not start.
    ///
    /// - Throws: An error that prevents the start.
    func prepare(_ parts: inout DaemonParts, _ flags: Flags) throws
}

extension Feature {
    package var keys: FeatureKeys { FeatureKeys([]) }
    package var commands: [any ParsableCommand.Type] { [] }
    package func overrides(_ flags: Flags) -> [KeyFlag] { [] }
    package func adapt(_ store: inout StateStoreConfiguration, to configuration: DaemonConfiguration) {}
    package func store(_ configuration: DaemonConfiguration) throws(StoreError) -> SelectedStore? { nil }
    package func prepare(_ parts: inout DaemonParts, _ flags: Flags) throws {}
}
