package import JSONRPC
import ViewModelHost
package import ViewModelKit

/// A key of the configuration: its name, valid values, default and meaning.
///
/// Reading, the names of the environment variables, the suggestions for unknown keys and the shipped example derive
/// from the keys of a program (``DaemonProgram``).
package struct ConfigurationKey: Sendable {
    /// The dotted name.
    package let name: String
    let kind: ValueKind
    /// Whether a reload applies a change.
    ///
    /// Other keys need a restart.
    package let isLive: Bool
    /// The effect of the key, for administrators.
    let meaning: String
    /// Nil if the default is no value or depends on the machine.
    let defaultValue: JSONValue?

    package init(_ name: String, _ kind: ValueKind, isLive: Bool, meaning: String = "", defaultValue: JSONValue? = nil)
    {
        self.name = name
        self.kind = kind
        self.isLive = isLive
        self.meaning = meaning
        self.defaultValue = defaultValue
    }

    /// Completes "expected …".
    package var expectation: String { kind.expectation }

    /// The default as YAML text.
    package var defaultText: String? {
        guard case .string(let text)? = defaultValue else { return defaultValue.map { "\($0)" } }
        return text.wholeMatch(of: /[a-z][a-z_ ]*/) == nil ? "\"\(text)\"" : text
    }

    /// The first part of the name.
    var section: Substring { name.prefix { $0 != "." } }
}

extension ConfigurationKey {
    /// The section of the keys that a daemon's author adds.
    package static let ownSection = "app"

    /// The keys of every daemon and of its gateway, in the order of the shipped example.
    static let core =
        DaemonConfiguration.Socket.keys + AccessSettings.keys + DaemonConfiguration.Log.keys
        + HostConfiguration.Session.keys + HostConfiguration.Limits.keys + HostConfiguration.Shutdown.keys
        + DaemonConfiguration.Gateway.keys

    /// Returns the members of a struct by the names of their keys, those of inner structs in place of the structs.
    package static func members(
        of schema: Schema,
        _ section: String,
        _ defaults: JSONObject = [:]
    ) -> [(name: String, property: Schema.Property, value: JSONValue?)] {
        switch schema.form {
        case .object(let properties):
            properties.flatMap { property in
                let name = section.isEmpty ? property.name : "\(section).\(property.name)"
                let value = defaults[property.name].flatMap { $0.isNull ? nil : $0 }
                guard ValueKind.of(property.schema) == nil else { return [(name, property, value)] }
                return members(of: property.schema, name, value?.objectValue ?? [:])
            }
        case .optional(let schema), .document(_, let schema): members(of: schema, section, defaults)
        default: [(section, Schema.Property(section, schema), nil)]
        }
    }
}
