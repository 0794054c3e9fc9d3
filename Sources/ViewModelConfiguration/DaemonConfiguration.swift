package import JSONRPC
package import ViewModelHost
package import ViewModelKit

/// The daemon's settings: the values of the keys that a source gives, which differ from the defaults.
///
/// The kinds of the keys have checked the values.
package struct DaemonConfiguration: Equatable, Sendable {
    /// The values by the names of their keys.
    package var values: JSONObject = [:]

    package var socket: Socket { self[Socket.self] }
    package var log: Log { self[Log.self] }
    package var gateway: Gateway { self[Gateway.self] }
    /// The keys of `limits`, `session` and `shutdown`, and `access`.
    package var host: HostConfiguration {
        var host = HostConfiguration()
        host.limits = self[HostConfiguration.Limits.self]
        host.session = self[HostConfiguration.Session.self]
        host.shutdown = self[HostConfiguration.Shutdown.self]
        host.access = AccessPolicy(rules: self[AccessSettings.self].access)
        return host
    }

    package init() {}

    /// The values of the keys of a section.
    package subscript<Section: ConfigurationSection>(_: Section.Type) -> Section {
        // Most sections have the defaults, which need no decoding at the start.
        guard !members(of: Section.section).isEmpty else { return Section() }
        do {
            return try settings(Section(), in: Section.section)
        } catch {
            // The defaults would drop the rules of `access` or the TLS of the gateway.
            preconditionFailure("a member of \(Section.section) refuses a value of its kind: \(error)")
        }
    }

    /// Returns the values of the keys of a section by the paths of their members.
    private func members(of section: String) -> [(path: ArraySlice<Substring>, value: JSONValue)] {
        values.compactMap { name, value in
            let path = name.split(separator: ".")
            if section.isEmpty { return path.count == 1 ? (path[...], value) : nil }
            return path.first == section[...] ? (path.dropFirst(), value) : nil
        }
    }

    /// Returns settings whose members have the values of the keys of a section.
    ///
    /// - Throws: `ValueMismatch` for a value that the type refuses, and the errors of the type's `encode(to:)`.
    package func settings<Settings: Schemable>(_ defaults: Settings, in section: String) throws -> Settings {
        var object = try JSONValue(encoding: defaults).objectValue ?? [:]
        for (path, value) in members(of: section) { Self.set(value, at: path, in: &object) }
        return try JSONWriter.text(of: object).withUnsafeBytes {
            try JSONValueDecoder.decode(Settings.self, from: $0, isLenient: true)
        }
    }

    private static func set(_ value: JSONValue, at path: ArraySlice<Substring>, in members: inout JSONObject) {
        guard let first = path.first.map(String.init) else { return }
        if path.count == 1 {
            members[first] = value
        } else {
            var inner = members[first]?.objectValue ?? [:]
            set(value, at: path.dropFirst(), in: &inner)
            members[first] = .object(inner)
        }
    }
}

extension DaemonConfiguration {
    /// Copies the live keys of another configuration of a program.
    ///
    /// - Returns: the names of the keys that differ: those whose new values are in force, and those that need a restart.
    package mutating func adopt(
        _ other: DaemonConfiguration,
        of program: DaemonProgram
    ) -> (applied: [String], waiting: [String]) {
        var changes: (applied: [String], waiting: [String]) = ([], [])
        for key in program.configurationKeys where values[key.name] != other.values[key.name] {
            if key.isLive {
                values[key.name] = other.values[key.name]
                changes.applied.append(key.name)
            } else {
                changes.waiting.append(key.name)
            }
        }
        return changes
    }
}

extension JSONValue {
    /// Encodes a value.
    init(encoding value: some Encodable) throws {
        self = try JSONWriter.text(of: value).withUnsafeBytes { try JSONValueDecoder.decode(JSONValue.self, from: $0) }
    }
}
