import Configuration
package import Logging

/// A source of the configuration.
protocol ConfigurationSource: Sendable {
    /// The values.
    var provider: any ConfigProvider { get }

    /// The problems of the source, except for invalid values of known keys.
    var problems: [ConfigurationProblem] { get }

    /// Returns the location of a key or of an item of its list.
    func location(of key: ConfigurationKey, item: Int?) -> ConfigurationProblem.Location

    /// Returns the value of a key for an error message, or nil if it is unknown.
    func found(at key: ConfigurationKey) -> String?
}

extension ConfigurationSource {
    /// Returns a text as a quoted literal on one line, shortened to 80 characters.
    static func quoted(_ text: String) -> String {
        let limit = 80
        return String(text.prefix(limit)).debugDescription + (text.count > limit ? "…" : "")
    }
}

/// The command-line flags that override a key of the configuration.
package struct FlagSource: ConfigurationSource {
    private let given: [(key: String, flag: String, value: ConfigContent)]

    /// Creates a source of the given flags.
    package init(lab: Bool = false, logLevel: Logger.Level? = nil, listen: String? = nil, control: Bool = false) {
        var given: [(key: String, flag: String, value: ConfigContent)] = []
        if lab { given.append(("lab", "--lab", .bool(true))) }
        if let logLevel { given.append(("log.level", "--log-level", .string(logLevel.rawValue))) }
        if let listen { given.append(("gateway.listen", "--listen", .string(listen))) }
        if control { given.append(("gateway.control", "--control", .bool(true))) }
        self.given = given
    }

    var provider: any ConfigProvider {
        let values = given.map { (AbsoluteConfigKey(ConfigKey($0.key)), ConfigValue($0.value, isSecret: false)) }
        return InMemoryProvider(name: "flags", values: Dictionary(uniqueKeysWithValues: values))
    }

    var problems: [ConfigurationProblem] { [] }

    func location(of key: ConfigurationKey, item: Int?) -> ConfigurationProblem.Location {
        .init(source: given.first { $0.key == key.name }?.flag ?? "the command line")
    }

    func found(at key: ConfigurationKey) -> String? {
        nil
    }
}
