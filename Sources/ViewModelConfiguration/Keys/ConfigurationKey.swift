/// A key of the configuration: its name, valid values, target property and meaning.
///
/// Reading, the names of the environment variables, the suggestions for unknown keys and the shipped example derive
/// from the keys of a program (``DaemonProgram``).
package struct ConfigurationKey: Sendable {
    /// The dotted name.
    package let name: String
    /// The effect of the key, for administrators.
    let meaning: String
    /// Completes "expected …".
    package let expectation: String
    /// Whether a reload applies a change.
    ///
    /// Other keys need a restart.
    package let isLive: Bool
    /// Whether an error quotes the value that was found.
    let isEchoed: Bool
    /// Whether the value may be a path.
    let isPath: Bool
    /// The default as YAML text; nil if the default is no value or depends on the machine.
    package let defaultText: String?
    private let differs: @Sendable (DaemonConfiguration, DaemonConfiguration) -> Bool
    private let copy: @Sendable (DaemonConfiguration, inout DaemonConfiguration) -> Void
    private let set: @Sendable (ConfigurationValue, inout DaemonConfiguration) throws(ValueProblem) -> Void

    /// Creates a key.
    ///
    /// - Parameters:
    ///   - name: the dotted name.
    ///   - property: the property of the configuration.
    ///   - kind: the kind of its values.
    ///   - isLive: whether a reload applies a change.
    ///   - meaning: the effect of the key, for administrators.
    package init<Value>(
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
        isPath = kind.isPath
        defaultText = kind.text(DaemonConfiguration()[keyPath: property])
        differs = { $0[keyPath: property] != $1[keyPath: property] }
        copy = { $1[keyPath: property] = $0[keyPath: property] }
        set = { value, configuration throws(ValueProblem) in
            configuration[keyPath: property] = try kind.value(value)
        }
    }

    /// The first part of the name.
    var section: Substring { name.prefix { $0 != "." } }

    /// Copies another configuration's value if the key is live; returns whether the two values differ.
    func adopt(from other: DaemonConfiguration, into configuration: inout DaemonConfiguration) -> Bool {
        guard differs(other, configuration) else { return false }
        if isLive { copy(other, &configuration) }
        return true
    }

    /// Copies a source's value; returns whether the source has one.
    ///
    /// - Throws: ``ValueProblem`` for a value that is not of the key's kind.
    func read(
        from source: some ConfigurationSource,
        into configuration: inout DaemonConfiguration
    ) throws(ValueProblem) -> Bool {
        guard let value = source.value(of: self) else { return false }
        try set(value, &configuration)
        return true
    }
}
