/// A key of the configuration as documents show it.
package struct KeyDescription: Sendable {
    /// The dotted name.
    package let name: String
    /// The effect of the key; empty for a key of the daemon's author.
    package let meaning: String
    /// Completes "expects …".
    package let expectation: String
    /// The name of the environment variable.
    package let variable: String
    /// The default as YAML, or nil for a key without a default and for one whose default depends on the machine.
    package let defaultText: String?
    /// Whether a reload applies a change.
    package let isLive: Bool
}

extension DaemonProgram {
    /// The keys of the configuration, in the order of the shipped example.
    package var keyDescriptions: [KeyDescription] {
        let variables = EnvironmentSource([:], of: self)
        return configurationKeys.map { key in
            KeyDescription(
                name: key.name,
                meaning: key.meaning.replacing("viewmodeld", with: name),
                expectation: key.expectation,
                variable: variables.variable(for: key),
                defaultText: key.defaultText,
                isLive: key.isLive
            )
        }
    }
}
