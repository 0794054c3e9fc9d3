package import FoundationEssentials
package import ViewModelStorage

/// The settings of a store in a shared database.
package struct PostgresConfiguration: Sendable {
    package var settings: ConnectionSettings
    /// The name of this node (`node.name`), which no other node has.
    package var nodeName: String
    /// The duration of the node's lease (`store.leaseSeconds`).
    package var leaseDuration = Duration.seconds(10)
    /// How long the start waits for a database that starts at the same time.
    package var startPatience = Duration.seconds(5)
    /// The pause between two looks for changes whose notification was lost.
    package var pollInterval = Duration.seconds(5)
    package var bounds = StoreBounds()
    /// Returns the wall-clock time; nil for the time of the database, which is right for all nodes.
    package var clock: (@Sendable () -> Date)?
    package var uptime = StoreClock.uptime

    package init(_ settings: ConnectionSettings, nodeName: String) {
        self.settings = settings
        self.nodeName = nodeName
        self.settings.applicationName = "\(settings.applicationName) \(nodeName)"
    }
}
