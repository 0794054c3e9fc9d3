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
    /// Whether a reload applies a change.
    ///
    /// Other keys need a restart.
    package let isLive: Bool
    private let schema: Schema
    private let description: String
    /// Returns the default; nil if it is no value or depends on the machine.
    let defaultValue: @Sendable () -> JSONValue?

    package init(
        _ name: String,
        _ schema: Schema,
        isLive: Bool,
        description: String = "",
        defaultValue: @escaping @Sendable () -> JSONValue? = { nil }
    ) {
        self.name = name
        self.schema = schema
        self.isLive = isLive
        self.description = description
        self.defaultValue = defaultValue
    }

    // The kind and the default are computed when they are needed: a start needs those of the keys in its sources.

    /// The kind of the values; no value is valid if the schema has no kind.
    var kind: ValueKind { .of(schema) ?? .read("no value") { _ in nil } }

    /// Completes "expected …".
    package var expectation: String { kind.expectation }

    /// The effect of the key, for administrators.
    var meaning: String {
        // The linter demands the empty line after the first sentence.
        description.split(separator: "\n\n", maxSplits: 1).joined(separator: " ").replacing("\n\n", with: "\n")
    }

    /// The default as YAML text.
    package var defaultText: String? {
        let value = defaultValue()
        guard case .string(let text)? = value else { return value.map { "\($0)" } }
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
    package static func members(of schema: Schema, _ section: String) -> [Schema.Property] {
        switch schema.form {
        case .object(let properties):
            properties.flatMap { property in
                var property = property
                if !section.isEmpty { property.name = "\(section).\(property.name)" }
                let inner = members(of: property.schema, property.name)
                return inner.isEmpty ? [property] : inner
            }
        case .optional(let schema), .document(_, let schema): members(of: schema, section)
        default: []
        }
    }
}
