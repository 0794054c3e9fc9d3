package import Logging
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

/// The command-line flags that override a key of the configuration.
package struct FlagSource: Sendable {
    private let flags: [(key: String, flag: String, value: String)]

    package init(
        logLevel: Logger.Level? = nil,
        listen: String? = nil,
        control: Bool = false,
        others: [(key: String, flag: String, value: String)] = []
    ) {
        var given = others
        if let logLevel { given.append(("log.level", "--log-level", logLevel.rawValue)) }
        if let listen { given.append(("gateway.listen", "--listen", listen)) }
        if control { given.append(("gateway.control", "--control", "true")) }
        flags = given
    }

    var entries: [String: ConfigurationEntry] {
        let entries = flags.map { ($0.key, ConfigurationEntry(untyped: $0.value, from: $0.flag, isQuoted: false)) }
        return Dictionary(entries) { first, _ in first }
    }
}
