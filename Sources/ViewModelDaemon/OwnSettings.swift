import JSONRPC
import ViewModelConfiguration
import ViewModelKit

/// The settings that a daemon's author declares as a type: their keys, and their values from the configuration.
struct OwnSettings<Settings: Schemable & Sendable>: Sendable {
    private let defaults: Settings

    init(_ defaults: Settings) {
        self.defaults = defaults
    }

    var keys: FeatureKeys {
        get throws {
            guard case .object = Settings.schema.form else {
                throw WrongDaemon(description: "the settings are not a struct with @Schemable")
            }
            let section = ConfigurationKey.ownSection
            let keys = try ConfigurationKey.members(of: Settings.schema, section).map { member in
                // The bounds of a member are those of what clients send.
                let (name, schema) = (member.name, member.schema.form)
                guard ValueKind.of(schema) != nil else {
                    throw WrongDaemon(
                        description:
                            "\(name) cannot be a key of the configuration; write a text, a number, a Boolean, an enum of "
                            + "texts or a struct of them"
                    )
                }
                return ConfigurationKey(name, schema, isLive: false)
            }
            return FeatureKeys(keys) { configuration, locations in
                var (key, message) = (section, "")
                do {
                    _ = try value(configuration)
                    return ([], [])
                } catch let mismatch as ValueMismatch {
                    key += mismatch.path.replacing("/", with: ".")
                    message = "expected \(mismatch.expected)"
                } catch {
                    message = "\(error)"
                }
                // Without a location, the value is one that no source has.
                let location = locations[key] ?? .init(source: "the configuration")
                return ([ConfigurationProblem(location: location, message: "\(key): \(message)")], [])
            }
        }
    }

    /// Returns the settings with the values that the configuration has.
    ///
    /// - Throws: `ValueMismatch` for a value that the type refuses, and the errors of the type's `encode(to:)`.
    func value(_ configuration: DaemonConfiguration) throws -> Settings {
        try configuration.settings(defaults, in: ConfigurationKey.ownSection)
    }
}
