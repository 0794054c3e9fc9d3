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
            guard case .object(let members) = Settings.schema.form else {
                throw WrongDaemon(description: "the settings are not a struct with @Schemable")
            }
            let section = ConfigurationKey.ownSection
            let keys = try members.flatMap { try Self.keys($0.schema, "\(section).\($0.name)") }
            return FeatureKeys(keys) { configuration, locations in
                var (key, message) = (section, "")
                do {
                    _ = try value(configuration.own)
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

    /// Returns the settings with the values that the configuration has, by the names of their keys.
    ///
    /// - Throws: `ValueMismatch` for a value that the type refuses, and the errors of the type's `encode(to:)`.
    func value(_ given: JSONObject) throws -> Settings {
        var members = try JSONWriter.text(of: defaults).withUnsafeBytes {
            try JSONValueDecoder.decode(JSONObject.self, from: $0)
        }
        for (name, value) in given {
            Self.set(value, at: name.split(separator: ".").dropFirst().map(String.init)[...], in: &members)
        }
        return try JSONWriter.text(of: members).withUnsafeBytes {
            try JSONValueDecoder.decode(Settings.self, from: $0)
        }
    }

    private static func keys(_ schema: Schema, _ name: String) throws -> [ConfigurationKey] {
        func integer(_ least: Int128?, _ most: Int128?) -> ConfigurationKey {
            let range = Int(clamping: least ?? .min)...Int(clamping: most ?? .max)
            return .own(name, ValueKind<Int>.integer(range).json { .integer($0) })
        }
        return switch schema.form {
        case .object(let members): try members.flatMap { try keys($0.schema, "\(name).\($0.name)") }
        case .optional(let schema), .document(_, let schema): try keys(schema, name)
        case .string(_, _): [.own(name, .string(isEchoed: !schema.isSecret))]
        case .enumeration(let names): [.own(name, .choice(names))]
        case .boolean: [.own(name, ValueKind<Bool>.boolean.json { .bool($0) })]
        case .number: [.own(name, ValueKind<Double>.number.json { .number("\($0)") })]
        case .integer(let range): [integer(range?.lowerBound, range?.upperBound)]
        case .integerEnumeration(let values): [integer(values.min() ?? 0, values.max() ?? 0)]
        default:
            throw WrongDaemon(
                description:
                    "\(name) cannot be a key of the configuration; write a text, a number, a Boolean, an enum of "
                    + "texts or a struct of them"
            )
        }
    }

    private static func set(_ value: JSONValue, at path: ArraySlice<String>, in members: inout JSONObject) {
        guard let first = path.first else { return }
        if path.count == 1 {
            members[first] = value
        } else {
            var inner = members[first]?.objectValue ?? [:]
            set(value, at: path.dropFirst(), in: &inner)
            members[first] = .object(inner)
        }
    }
}
