import JSONRPC
import ViewModelConfiguration
import ViewModelKit

/// The settings that a daemon's author declares as a type: their keys, and their values from the configuration.
struct OwnSettings<Settings: Schemable & Sendable>: Sendable {
    private let defaults: Settings

    /// Creates settings with these defaults.
    init(_ defaults: Settings) {
        self.defaults = defaults
    }

    /// The keys of the members.
    var keys: OwnKeys {
        get throws {
            guard case .object(let members) = Settings.schema.form else {
                throw WrongDaemon(description: "the settings are not a struct with @Schemable")
            }
            let keys = try members.flatMap { try Self.keys($0.schema, "\(OwnKeys.section).\($0.name)") }
            return OwnKeys(keys) { given in
                do {
                    _ = try value(given)
                    return nil
                } catch let mismatch as ValueMismatch {
                    return OwnKeys.Problem(
                        key: OwnKeys.section + mismatch.path.replacing("/", with: "."),
                        message: "expected \(mismatch.expected)"
                    )
                } catch {
                    return OwnKeys.Problem(key: OwnKeys.section, message: "\(error)")
                }
            }
        }
    }

    /// Returns the settings with the values that the configuration has.
    ///
    /// - Parameter given: the values by the names of their keys.
    /// - Returns: the settings.
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

    private static func keys(_ schema: Schema, _ name: String) throws -> [OwnKeys.Key] {
        switch schema.form {
        case .object(let members): try members.flatMap { try keys($0.schema, "\(name).\($0.name)") }
        case .optional(let schema), .document(_, let schema): try keys(schema, name)
        case .string(_, _): [.init(name, schema.isSecret ? .secret : .text)]
        case .enumeration(let names): [.init(name, .choice(names))]
        case .boolean: [.init(name, .boolean)]
        case .number: [.init(name, .number)]
        case .integer(let range):
            [.init(name, .integer(Int(clamping: range?.lowerBound ?? .min)...Int(clamping: range?.upperBound ?? .max)))]
        case .integerEnumeration(let values):
            [.init(name, .integer(Int(clamping: values.min() ?? 0)...Int(clamping: values.max() ?? 0)))]
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
