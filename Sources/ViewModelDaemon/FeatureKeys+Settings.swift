import JSONRPC
import ViewModelConfiguration
import ViewModelKit

extension FeatureKeys {
    /// The keys of the settings that a daemon's author declares as a type.
    ///
    /// - Throws: ``DaemonExit`` for a type whose members cannot be keys.
    init<Settings: Schemable & Sendable>(of defaults: Settings) throws {
        guard case .object = Settings.schema.form else {
            throw DaemonExit(description: "the settings are not a struct with @Schemable")
        }
        let section = ConfigurationKey.ownSection
        let keys = try ConfigurationKey.members(of: Settings.schema, section).map { member in
            // The bounds of a member are those of what clients send.
            let (name, schema) = (member.name, member.schema.form)
            guard ValueKind.of(schema) != nil else {
                throw DaemonExit(
                    description:
                        "\(name) cannot be a key of the configuration; write a text, a number, a Boolean, an enum of "
                        + "texts or a struct of them"
                )
            }
            return ConfigurationKey(name, schema, isLive: false)
        }
        self.init(keys) { configuration, locations in
            var (key, message) = (section, "")
            do {
                _ = try configuration.settings(defaults, in: section)
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
