import FoundationEssentials
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A directory that goes with its owner.
final class TemporaryDirectory: Sendable {
    let path: String

    init() throws {
        let template = FileManager.default.temporaryDirectory.path + "/viewmodeld-store-XXXXXX"
        var bytes = template.utf8CString.map { $0 }
        let made = try #require(mkdtemp(&bytes))
        path = String(cString: made)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// A directory with the same files as this one has now, as a process that dies now would leave them.
    func copy() throws -> TemporaryDirectory {
        let other = try TemporaryDirectory()
        for name in try names() {
            try FileManager.default.copyItem(atPath: "\(path)/\(name)", toPath: "\(other.path)/\(name)")
        }
        return other
    }

    func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    }

    func bytes(_ name: String) throws -> [UInt8] {
        Array(try #require(FileManager.default.contents(atPath: "\(path)/\(name)")))
    }

    func write(_ bytes: [UInt8], to name: String, mode: mode_t = 0o600) throws {
        let descriptor = open("\(path)/\(name)", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        try #require(pwrite(descriptor, bytes, bytes.count, 0) == bytes.count)
        try #require(fchmod(descriptor, mode) == 0)
    }

    func mode(_ name: String) throws -> mode_t {
        var status = stat()
        try #require(stat("\(path)/\(name)", &status) == 0)
        return status.st_mode & 0o7777
    }
}
