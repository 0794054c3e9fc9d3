import FoundationEssentials
package import Glibc

/// A directory that is removed together with this object.
package final class TemporaryDirectory: Sendable {
    /// The path of the directory.
    package let path: String

    /// Creates a directory with mode 0700.
    package init() throws {
        let path = FileManager.default.temporaryDirectory.path + "/viewmodeld-\(UUID())"
        guard mkdir(path, 0o700) == 0 else { throw Failure(path: path) }
        self.path = path
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The error for a file or directory that cannot be created, read or written.
    package struct Failure: Error {
        let path: String
    }

    /// Returns a copy of this directory, with the files that a process would leave if it died now.
    package func copy() throws -> TemporaryDirectory {
        let other = try TemporaryDirectory()
        for name in try names() {
            try FileManager.default.copyItem(atPath: "\(path)/\(name)", toPath: "\(other.path)/\(name)")
        }
        return other
    }

    /// Returns the sorted names of the files.
    package func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    }

    /// Returns all bytes of a file.
    package func bytes(_ name: String) throws -> [UInt8] {
        guard let data = FileManager.default.contents(atPath: "\(path)/\(name)") else { throw Failure(path: name) }
        return Array(data)
    }

    /// Writes a file and overwrites one with the same name.
    package func write(_ bytes: [UInt8], to name: String, mode: mode_t = 0o600) throws {
        let descriptor = open("\(path)/\(name)", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw Failure(path: name) }
        defer { close(descriptor) }
        guard pwrite(descriptor, bytes, bytes.count, 0) == bytes.count, fchmod(descriptor, mode) == 0 else {
            throw Failure(path: name)
        }
    }

    /// Returns the permission bits of a file.
    package func mode(_ name: String) throws -> mode_t {
        var status = stat()
        guard stat("\(path)/\(name)", &status) == 0 else { throw Failure(path: name) }
        return status.st_mode & 0o7777
    }
}
