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
        var entry = passwd()
        let id = find { buffer, length, found in
            var result: UnsafeMutablePointer<passwd>?
            let code = getpwnam_r(name, &entry, buffer, length, &result)
            found = result.map { $0.pointee.pw_uid }
            return code
        }
        return id ?? number(name)
    }

    /// Returns a group, or nil for an unknown name.
    static func findGroup(_ name: String) -> GroupReference? {
        var entry = group()
        let id = find { buffer, length, found in
            var result: UnsafeMutablePointer<group>?
            let code = getgrnam_r(name, &entry, buffer, length, &result)
            found = result.map { $0.pointee.gr_gid }
            return code
        }
        return (id ?? number(name)).map { GroupReference(id: $0, name: name) }
    }

    /// Parses a decimal id.
    ///
    /// The greatest value is excluded because it means "no id" to the kernel.
    private static func number(_ text: String) -> UInt32? {
        guard text.allSatisfy({ $0.isASCII && $0.isNumber }), let id = UInt32(text), id != .max else { return nil }
        return id
    }

    /// Calls `ask` with growing buffers up to 1 MiB, because a group may have any number of members.
    private static func find(
        _ ask: (UnsafeMutablePointer<CChar>, Int, inout UInt32?) -> Int32
    ) -> UInt32? {
        var length = 1024
        while length <= 1 << 20 {
            var found: UInt32?
            let code = withUnsafeTemporaryAllocation(of: CChar.self, capacity: length) { buffer in
                buffer.baseAddress.map { ask($0, length, &found) } ?? ENOMEM
            }
            guard code == ERANGE else { return found }
            length *= 4
        }
        return nil
    }
}
