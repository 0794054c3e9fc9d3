import Glibc
import UnixIO

/// Files with a secret, such as a key or a password, which other users cannot access.
package enum SecretFile {
    /// The reason why a file is not used, as the end of a sentence that begins with its path.
    package struct Problem: Error, Hashable, CustomStringConvertible {
        /// What is wrong with the file, and the remedy.
        package let description: String

        package init(description: String) {
            self.description = description
        }
    }

    /// Reads a file that only the daemon's user can access.
    ///
    /// The call blocks.
    ///
    /// - Parameters:
    ///   - path: the path of the file.
    ///   - limit: the largest size in bytes. Of a larger file one byte more is returned.
    ///   - isCredential: whether systemd created the file and protects it with an access list.
    /// - Returns: the content.
    /// - Throws: ``Problem`` if the file cannot be read, or others can access it.
    package static func read(_ path: String, atMost limit: Int, isCredential: Bool) throws(Problem) -> [UInt8] {
        // A FIFO without a writer would block.
        let descriptor = open(path.cPath, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw unreadable() }
        defer { close(descriptor) }
        guard let status = stat(of: descriptor) else { throw unreadable() }
        guard status.kind == S_IFREG else { throw Problem(description: "is not a regular file") }
        // The mode of a systemd credential shows its access list in the bits of the group.
        guard isCredential || status.st_mode & 0o077 == 0 else {
            throw Problem(description: "can be read or written by other users. Run: chmod 600 \(path)")
        }
        guard isCredential || status.st_uid == geteuid() || status.st_uid == 0 else {
            throw Problem(description: "belongs to another user (\(status.st_uid)). Run: chown \(geteuid()) \(path)")
        }
        do {
            return try Descriptor(number: descriptor).read(atMost: limit)
        } catch {
            throw unreadable(error)
        }
    }

    /// Returns whether a file is in the directory of systemd's credentials.
    ///
    /// - Parameters:
    ///   - path: the path of the file, which may be a link.
    ///   - directory: the directory, or nil without credentials.
    /// - Returns: whether it is.
    package static func isCredential(_ path: String, in directory: String?) -> Bool {
        guard let directory else { return false }
        return (Paths.resolved(path) ?? path).hasPrefix((Paths.resolved(directory) ?? directory) + "/")
    }

    private static func unreadable(_ error: SystemError = .last) -> Problem {
        Problem(description: "cannot be read (\(error)). Correct its path or its permissions")
    }
}
