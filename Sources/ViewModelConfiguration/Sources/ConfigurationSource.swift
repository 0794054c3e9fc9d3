import Configuration

/// Something that the configuration is read from.
protocol ConfigurationSource: Sendable {
    /// The values.
    var provider: any ConfigProvider { get }

    /// What is wrong with the source but for the values of known keys.
    var problems: [ConfigurationProblem] { get }

    /// Where a key stands, or an item of its list.
    func place(of key: ConfigurationKey, item: Int?) -> ConfigurationProblem.Place

    /// What stands there, for an error message.
    func found(at key: ConfigurationKey) -> String?
}

extension ConfigurationSource {
    /// A text of the source's on one line, in quotes, shortened where it is long.
    static func quoted(_ text: String) -> String {
        let limit = 80
        return String(text.prefix(limit)).debugDescription + (text.count > limit ? "…" : "")
    }
}
