import Foundation
import Glibc
import UnixIO

/// A new directory that only its user can access, for a socket.
struct SocketDirectory {
    let path: String
    /// The path of the socket.
    let socket: String

    /// Makes a directory in `TMPDIR`, or in `/tmp` if the path of the socket would be too long.
    ///
    /// - Parameters:
    ///   - name: The beginning of the directory's name.
    ///   - socket: The name of the socket.
    /// - Throws: ``CommandFailure`` if the directory cannot be made.
    init(_ name: String, socket: String) throws(CommandFailure) {
        let given = ProcessEnvironment.current["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
        let base = LocalAddress.excess(of: "\(given)/\(name)-XXXXXX/\(socket)") == nil ? given : "/tmp"
        var template = Array("\(base)/\(name)-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw CommandFailure.usage(
                "no directory for a socket can be made in \(base): \(SystemError.last)",
                remedy: "Set TMPDIR to a directory that this user can write to"
            )
        }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        self.socket = "\(path)/\(socket)"
    }

    func remove() {
        try? FileManager.default.removeItem(atPath: path)
    }
}
