#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Files that are nobody else's business.
enum PrivateFile {
    /// The directory that a file is in.
    static func directory(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Whether a file exists, after seeing to it that it and its directory can be written, and that nobody else can read it.
    ///
    /// An existing file is not opened here: closing it would drop the locks of whoever has it open in this process.
    static func check(_ path: String, in directory: String) throws(StoreError) -> Bool {
        guard access(directory, W_OK | X_OK) == 0 else { throw .notWritable(directory, errno: errno) }
        var status = stat()
        // Not followed: a link that leads nowhere is no file of ours to make.
        guard lstat(path, &status) == 0 else {
            guard errno == ENOENT else { throw .notWritable(path, errno: errno) }
            return false
        }
        guard access(path, R_OK | W_OK) == 0, chmod(path, 0o600) == 0 else { throw .notWritable(path, errno: errno) }
        return true
    }

    /// Writes a new file that nobody else can read, down to the disk; its name may still be lost.
    ///
    /// - Returns: whether it is there; else `errno` tells why not.
    static func create(_ path: String, with bytes: [UInt8]) -> Bool {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        // The disk may take a part of it only, and say at the next write that it is full.
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return fsync(descriptor) == 0
    }

    /// Puts a file that is written in its place, down to the disk.
    static func move(_ path: String, to target: String) throws(StoreError) {
        guard rename(path, target) == 0 else { throw .notWritable(target, errno: errno) }
        try synchronize(directory: directory(of: target))
    }

    /// Sees to it that the names in a directory outlast a power failure.
    static func synchronize(directory: String) throws(StoreError) {
        let descriptor = open(directory, O_RDONLY | O_CLOEXEC | O_DIRECTORY)
        guard descriptor >= 0 else { throw .notWritable(directory, errno: errno) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw .notWritable(directory, errno: errno) }
    }
}
