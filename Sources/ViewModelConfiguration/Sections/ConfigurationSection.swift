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
        ConfigurationKey.members(of: schema, section).map { member in
            let path = member.name.dropFirst(section.isEmpty ? 0 : section.count + 1).split(separator: ".")
            return ConfigurationKey(member.name, member.schema, isLive: isLive, description: member.description) {
                let value = path.reduce(try? JSONValue(encoding: Self())) { $0?.objectValue?[String($1)] }
                return value?.isNull == true ? nil : value
            }
        }
    }
}
