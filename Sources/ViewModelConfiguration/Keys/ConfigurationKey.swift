package import JSONRPC

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
    /// Copies another configuration's value if the key is live; returns whether the two values differ.
    let adopt: @Sendable (DaemonConfiguration, inout DaemonConfiguration) -> Bool
    /// Sets the value of a source.
    let set: @Sendable (ConfigurationValue, inout DaemonConfiguration) throws(ValueProblem) -> Void

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
        adopt = { other, configuration in
            guard other[keyPath: property] != configuration[keyPath: property] else { return false }
            if isLive { configuration[keyPath: property] = other[keyPath: property] }
            return true
        }
        set = { value, configuration throws(ValueProblem) in
            configuration[keyPath: property] = try kind.value(value)
        }
    }

    /// The first part of the name.
    var section: Substring { name.prefix { $0 != "." } }
}

extension ConfigurationKey {
    /// The section of the keys that a daemon's author adds.
    package static let ownSection = "app"

    /// Creates a key of a daemon's author, whose dotted name begins with the section.
    package static func own(_ name: String, _ kind: ValueKind<JSONValue>) -> ConfigurationKey {
        ConfigurationKey(name, \.own[name], .optional(kind), isLive: false, "")
    }
}
