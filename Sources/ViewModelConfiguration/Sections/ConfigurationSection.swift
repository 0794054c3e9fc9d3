import JSONRPC
package import ViewModelKit

/// A section of the configuration: a type whose members are the keys.
///
/// The types, the defaults, the bounds and the doc comments of the members are those of the keys.
package protocol ConfigurationSection: Schemable, Sendable {
    /// The name of the section, or an empty text for keys outside of sections.
    static var section: String { get }
    /// Whether a reload applies a change of the keys.
    ///
    /// Other keys need a restart.
    static var isLive: Bool { get }

    init()
}

extension ConfigurationSection {
    package static var isLive: Bool { true }

    package static var keys: [ConfigurationKey] {
        let defaults = (try? JSONValue(encoding: Self()).objectValue) ?? [:]
        return ConfigurationKey.members(of: schema, section, defaults).compactMap { name, property, value in
            ValueKind.of(property.schema).map { kind in
                // The linter asks for an empty line after the first sentence.
                let parts = property.description.split(separator: "\n\n", maxSplits: 1)
                let meaning = parts.joined(separator: " ").replacing("\n\n", with: "\n")
                return ConfigurationKey(name, kind, isLive: isLive, meaning: meaning, defaultValue: value)
            }
        }
    }
}
