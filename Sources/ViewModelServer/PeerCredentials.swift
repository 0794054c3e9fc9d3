import Glibc

/// The process at the other end of a connection, as the kernel reports it (SO_PEERCRED, SO_PEERGROUPS, unix(7)).
struct PeerCredentials {
    let pid: Int32
    let uid: UInt32
    /// The primary and the supplementary groups that the process had when it connected.
    let groups: [UInt32]
}

extension PeerCredentials {
    /// Reads the credentials.
    ///
    /// Returns nil if the descriptor is not a connected Unix-domain socket.
    init?(of descriptor: Int32) {
        // `struct ucred`: pid, uid and gid, each of 32 bits.
        var fields: (pid: Int32, uid: UInt32, gid: UInt32) = (0, 0, 0)
        var length = socklen_t(MemoryLayout.size(ofValue: fields))
        guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &fields, &length) == 0 else { return nil }
        (pid, uid) = (fields.pid, fields.uid)
        groups = [fields.gid] + Self.supplementaryGroups(of: descriptor)
    }

    private static func supplementaryGroups(of descriptor: Int32) -> [UInt32] {
        var groups = [UInt32](repeating: 0, count: 32)
        while true {
            var length = socklen_t(groups.count * MemoryLayout<UInt32>.size)
            if getsockopt(descriptor, SOL_SOCKET, SO_PEERGROUPS, &groups, &length) == 0 {
                return Array(groups.prefix(Int(length) / MemoryLayout<UInt32>.size))
            }
            // With `ERANGE` the kernel returns the length that it needs.
            let count = Int(length) / MemoryLayout<UInt32>.size
            guard errno == ERANGE, count > groups.count else { return [] }
            groups = [UInt32](repeating: 0, count: count)
        }
    }
}
