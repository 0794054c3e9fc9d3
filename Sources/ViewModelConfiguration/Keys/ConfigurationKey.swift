import Configuration

/// A key of the configuration: its name, what its value may be, where the value goes and what it means.
///
/// Everything else that must know the keys asks ``all``: reading, the names of the environment variables, suggestions
/// for unknown keys, the shipped example.
struct ConfigurationKey: Sendable {
    /// The dotted name.
    let name: String
    /// What the key does, for people who administer the daemon.
    let meaning: String
    /// Completes "expected …".
    let expectation: String
    /// Whether a change holds at once when the configuration is read again; else it takes a restart.
    let isLive: Bool
    /// Whether an error shows what was found instead.
    let isEchoed: Bool
    /// The default as YAML text; nil where there is none, or where it depends on the machine.
    let defaultText: String?
    private let type: ConfigType
    private let differs: @Sendable (DaemonConfiguration, DaemonConfiguration) -> Bool
    private let copy: @Sendable (DaemonConfiguration, inout DaemonConfiguration) -> Void
    private let set: @Sendable (ConfigContent, inout DaemonConfiguration) throws(ValueProblem) -> Void

    init<Value>(
        _ name: String,
        _ property: any WritableKeyPath<DaemonConfiguration, Value> & Sendable,
        _ kind: ValueKind<Value>,
        isLive: Bool = true,
        _ meaning: String
    ) {
        self.name = name
        self.meaning = meaning
        expectation = kind.expectation
        self.isLive = isLive
        isEchoed = kind.isEchoed
        defaultText = kind.text(DaemonConfiguration()[keyPath: property])
        type = kind.type
        differs = { $0[keyPath: property] != $1[keyPath: property] }
        copy = { $1[keyPath: property] = $0[keyPath: property] }
        set = { content, configuration throws(ValueProblem) in
            configuration[keyPath: property] = try kind.value(content)
        }
    }

    /// Takes over another configuration's value, if the key is live; returns whether the values were different.
    func adopt(from other: DaemonConfiguration, into configuration: inout DaemonConfiguration) -> Bool {
        guard differs(other, configuration) else { return false }
        if isLive { copy(other, &configuration) }
        return true
    }

    /// The name as swift-configuration takes it.
    var path: AbsoluteConfigKey {
        AbsoluteConfigKey(ConfigKey(name))
    }

    /// Takes over what a provider says; returns whether it says something.
    ///
    /// - Throws: ``ValueProblem`` for a value that is not of the key's kind.
    func read(
        from provider: any ConfigProvider,
        into configuration: inout DaemonConfiguration
    ) throws(ValueProblem) -> Bool {
        let value: ConfigValue?
        do {
            value = try provider.value(forKey: path, type: type).value
        } catch {
            throw ValueProblem(expected: expectation)
        }
        guard let value else { return false }
        try set(value.content, &configuration)
        return true
    }
}
