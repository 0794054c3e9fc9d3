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

    /// Makes an empty file that nobody else can read.
    static func make(_ path: String) throws(StoreError) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .notWritable(path, errno: errno) }
        close(descriptor)
    }

    /// Replaces bytes in the middle of a file.
    static func overwrite(_ path: String, at offset: Int, with bytes: [UInt8]) throws(StoreError) {
        let descriptor = open(path, O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .notWritable(path, errno: errno) }
        defer { close(descriptor) }
        guard pwrite(descriptor, bytes, bytes.count, offset) == bytes.count else {
            throw .notWritable(path, errno: errno)
        }
    }

    /// Puts a file that is written in its place, down to the disk.
    static func move(_ path: String, to target: String) throws(StoreError) {
        try synchronize(path)
        guard rename(path, target) == 0 else { throw .notWritable(target, errno: errno) }
        try synchronize(directory: directory(of: target))
    }

    /// Sees to it that the names in a directory outlast a power failure.
    static func synchronize(directory: String) throws(StoreError) {
        try synchronize(directory, O_DIRECTORY)
    }

    private static func synchronize(_ path: String, _ flags: Int32 = 0) throws(StoreError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | flags)
        guard descriptor >= 0 else { throw .notWritable(path, errno: errno) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw .notWritable(path, errno: errno) }
    }
}
