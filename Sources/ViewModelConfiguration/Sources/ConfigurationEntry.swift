import Yams

/// The value of a key in a source of the configuration.
struct ConfigurationEntry {
    let value: ConfigurationValue
    let location: ConfigurationProblem.Location
    var isQuoted = true

    /// The value for an error message, or nil.
    var found: String? { isQuoted ? value.found : nil }
}

extension ConfigurationEntry {
    /// Creates the entry of a text that may mean a value of any kind.
    init(untyped text: String, from source: String, isQuoted: Bool = true) {
        value = ConfigurationValue(node: Node(text), isUntyped: true)
        location = .init(source: source)
        self.isQuoted = isQuoted
    }
}
