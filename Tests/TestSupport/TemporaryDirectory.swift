import FoundationEssentials

#if canImport(Glibc)
    package import Glibc
#elseif canImport(Musl)
    package import Musl
#endif

/// A directory that goes with its owner.
package final class TemporaryDirectory: Sendable {
    /// Where it is.
    package let path: String

    /// Makes one that nobody else may look into.
    package init() throws {
        let path = FileManager.default.temporaryDirectory.path + "/viewmodeld-\(UUID())"
        guard mkdir(path, 0o700) == 0 else { throw Failure(path: path) }
        self.path = path
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// A file or directory that could not be made, read or written.
    package struct Failure: Error {
        let path: String
    }

    /// A directory with the same files as this one has now, as a process that dies now would leave them.
    package func copy() throws -> TemporaryDirectory {
        let other = try TemporaryDirectory()
        for name in try names() {
            try FileManager.default.copyItem(atPath: "\(path)/\(name)", toPath: "\(other.path)/\(name)")
        }
        return other
    }

    /// The names of its files, sorted.
    package func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    }

    /// All bytes of a file.
    package func bytes(_ name: String) throws -> [UInt8] {
        guard let data = FileManager.default.contents(atPath: "\(path)/\(name)") else { throw Failure(path: name) }
        return Array(data)
    }

    /// Puts a file in the place of whatever has this name.
    package func write(_ bytes: [UInt8], to name: String, mode: mode_t = 0o600) throws {
        let descriptor = open("\(path)/\(name)", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw Failure(path: name) }
        defer { close(descriptor) }
        guard pwrite(descriptor, bytes, bytes.count, 0) == bytes.count, fchmod(descriptor, mode) == 0 else {
            throw Failure(path: name)
        }
    }

    /// Who may do what with a file.
    package func mode(_ name: String) throws -> mode_t {
        var status = stat()
        guard stat("\(path)/\(name)", &status) == 0 else { throw Failure(path: name) }
        return status.st_mode & 0o7777
    }
}
