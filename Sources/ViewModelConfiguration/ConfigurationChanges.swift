/// What came of reading the configuration again.
package struct ConfigurationChanges: Equatable, Sendable {
    /// The names of the keys whose new values hold now.
    package var applied: [String] = []
    /// The names of the keys whose new values take a restart.
    package var waiting: [String] = []
}

extension DaemonConfiguration {
    /// Takes over from another configuration what can change while the daemon runs.
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
