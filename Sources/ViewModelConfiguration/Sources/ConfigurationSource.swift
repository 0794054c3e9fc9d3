package import Logging
import UnixIO

/// A source of the configuration.
protocol ConfigurationSource: Sendable {
    /// Returns the value of a key, or nil if the source has none.
    func value(of key: ConfigurationKey) -> ConfigurationValue?

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
        let text = text.shown
        return String(text.prefix(limit)).debugDescription + (text.count > limit ? "…" : "")
    }
}

/// The command-line flags that override a key of the configuration.
package struct FlagSource: ConfigurationSource {
    private let given: [(key: String, flag: String, value: String)]

    /// Creates a source of the given flags.
    ///
    /// - Parameters:
    ///   - logLevel: the value of `--log-level`.
    ///   - listen: the value of `--listen`.
    ///   - control: whether `--control` was given.
    ///   - others: the flags of features.
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
        self.given = given
    }

    func value(of key: ConfigurationKey) -> ConfigurationValue? {
        given.first { $0.key == key.name }.map { .untyped($0.value) }
    }

    var problems: [ConfigurationProblem] { [] }

    func location(of key: ConfigurationKey, item: Int?) -> ConfigurationProblem.Location {
        .init(source: given.first { $0.key == key.name }?.flag ?? "the command line")
    }

    func found(at key: ConfigurationKey) -> String? {
        nil
    }
}
