import Glibc
import JSONRPC
package import ViewModelKit

/// A group of the system.
///
/// A name was resolved when the configuration was read.
@Schemable
package struct GroupReference: ConfigurableValue, Sendable {
    package static let kind = ValueKind.read("a group of this system") { found in
        found.text.flatMap(SystemNames.findGroup).map {
            .object(["id": .integer(Int($0.id)), "name": .string($0.name)])
        }
    }

    /// Any value, because its members are no keys.
    package static var schema: Schema { .any }

    package let id: UInt32
    /// The name or number in the configuration.
    package let name: String
}

/// Look-ups of the system's users and groups.
///
/// A decimal number is its own id.
///
/// A look-up may block while the system queries a directory service.
enum SystemNames {
    /// Returns the id of a user, or nil for an unknown name.
    static func findUser(_ name: String) -> UInt32? {
        find(name, passwd(), getpwnam_r) { $0.pw_uid }
    }

    /// Returns a group, or nil for an unknown name.
    static func findGroup(_ name: String) -> GroupReference? {
        find(name, group(), getgrnam_r) { $0.gr_gid }.map { GroupReference(id: $0, name: name) }
    }

    /// Parses a decimal id.
    ///
    /// The greatest value is excluded because it means "no id" to the kernel.
    private static func number(_ text: String) -> UInt32? {
        guard text.allSatisfy({ $0.isASCII && $0.isNumber }), let id = UInt32(text), id != .max else { return nil }
        return id
    }

    /// Calls `lookUp` with growing buffers up to 1 MiB, because a group may have any number of members.
    private static func find<Entry>(
        _ name: String,
        _ entry: Entry,
        _ lookUp: (
            UnsafePointer<CChar>, UnsafeMutablePointer<Entry>, UnsafeMutablePointer<CChar>, Int,
            UnsafeMutablePointer<UnsafeMutablePointer<Entry>?>
        ) -> Int32,
        id: (Entry) -> UInt32
    ) -> UInt32? {
        var entry = entry
        var buffer = [CChar](repeating: 0, count: 1024)
        while buffer.count <= 1 << 20 {
            var found: UnsafeMutablePointer<Entry>?
            guard lookUp(name, &entry, &buffer, buffer.count, &found) == ERANGE else {
                return found == nil ? number(name) : id(entry)
            }
            buffer = [CChar](repeating: 0, count: buffer.count * 4)
        }
        return number(name)
    }
}
