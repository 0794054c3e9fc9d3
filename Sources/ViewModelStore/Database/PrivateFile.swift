#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Files that are nobody else's business.
enum PrivateFile {
    /// Sees to it that a file exists, that it and its directory can be written, and that nobody else can read it.
    ///
    /// An existing file is not opened here: closing it would drop the locks of whoever has it open in this process.
    static func prepare(_ path: String, in directory: String) throws(StoreError) {
        guard access(directory, W_OK | X_OK) == 0 else { throw .notWritable(directory, errno: errno) }
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        if descriptor >= 0 {
            close(descriptor)
            try synchronize(directory: directory)
            return
        }
        guard errno == EEXIST else { throw .notWritable(path, errno: errno) }
        guard access(path, R_OK | W_OK) == 0, chmod(path, 0o600) == 0 else { throw .notWritable(path, errno: errno) }
    }

    /// Sees to it that the names in a directory outlast a power failure.
    static func synchronize(directory: String) throws(StoreError) {
        let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .notWritable(directory, errno: errno) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw .notWritable(directory, errno: errno) }
    }
}
