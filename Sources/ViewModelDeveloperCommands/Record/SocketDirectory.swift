import Foundation
import Glibc
import UnixIO
import ViewModelCommands

/// A new directory that only its user can access, for a socket.
struct SocketDirectory {
    let path: String
    let socket: String

    /// Makes a directory in `TMPDIR`, or in `/tmp` if the path of the socket would be too long.
    init(_ name: String, socket: String) throws(CommandFailure) {
        let given = ProcessText.variables["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
        // mkdtemp replaces the six letters.
        let directory = "\(name)-XXXXXX"
        let base = LocalAddress.excess(of: "\(given)/\(directory)/\(socket)") == nil ? given : "/tmp"
        var template = "\(base)/\(directory)".cPath
        guard mkdtemp(&template) != nil else {
            throw CommandFailure.usage(
                "no directory for a socket can be made in \(base): \(SystemError.last)",
                remedy: "Set TMPDIR to a directory that this user can write to"
            )
        }
        path = String(systemCString: template)
        self.socket = "\(path)/\(socket)"
    }

    func remove() {
        Self.remove(path)
    }

    private static func remove(_ path: String) {
        for name in Paths.entries(of: path) ?? [] where ![".", ".."].contains(name) {
            let entry = "\(path)/\(name)"
            if unlink(entry.cPath) != 0, errno == EISDIR || errno == EPERM { remove(entry) }
        }
        rmdir(path.cPath)
    }
}
