import Configuration

/// A source of the configuration.
protocol ConfigurationSource: Sendable {
    /// The values.
    var provider: any ConfigProvider { get }

    /// The problems of the source, except for invalid values of known keys.
    var problems: [ConfigurationProblem] { get }

    /// Returns the place of a key or of an item of its list.
    func place(of key: ConfigurationKey, item: Int?) -> ConfigurationProblem.Place

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
