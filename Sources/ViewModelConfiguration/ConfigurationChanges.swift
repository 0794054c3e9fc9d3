/// The changed keys of a reload.
package struct ConfigurationChanges: Equatable, Sendable {
    /// The names of the keys whose new values are in force.
    package var applied: [String] = []
    /// The names of the keys whose new values need a restart.
    package var waiting: [String] = []
}

extension DaemonConfiguration {
    /// Copies the live keys of another configuration, and returns the names of all keys that differ.
    package mutating func adopt(_ other: DaemonConfiguration) -> ConfigurationChanges {
        var changes = ConfigurationChanges()
        for key in ConfigurationKey.all where key.adopt(from: other, into: &self) {
            if key.isLive {
                changes.applied.append(key.name)
            } else {
                changes.waiting.append(key.name)
            }
        }
        return changes
    }
}
