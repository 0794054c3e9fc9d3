#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A group of the system, which existed when the configuration was read.
package struct GroupReference: Equatable, Sendable {
    package let id: UInt32
    /// As the configuration has it: the name, or the number.
    package let name: String
}

/// Looks up the system's users and groups; a number stands for itself.
///
/// May block where the system asks a directory service.
enum SystemNames {
    /// The number of the user of a name, or nil where there is none.
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

    /// The group of a name, or nil where there is none.
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

    /// The number that a text is; the greatest means "none" to the kernel.
    private static func number(_ text: String) -> UInt32? {
        guard text.allSatisfy({ $0.isASCII && $0.isNumber }), let id = UInt32(text), id != .max else { return nil }
        return id
    }

    /// Asks with greater and greater buffers, since a group may have any number of members.
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
