#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The creation of directories that only the daemon's user can access.
enum PrivateDirectory {
    /// The reason why a directory cannot be used.
    struct Failure: Error, CustomStringConvertible {
        /// Names the directory and the reason.
        let description: String
    }

    /// Sets a directory's mode to 0700 if it belongs to this user and its group or others have permissions.
    static func close(_ path: String) {
        var status = stat()
        if stat(path, &status) == 0, status.st_uid == geteuid(), status.st_mode & 0o077 != 0 { chmod(path, 0o700) }
    }

    /// Creates a directory and its missing parents with mode 0700.
    static func make(_ path: String) throws(Failure) {
        var status = stat()
        if stat(path, &status) == 0 {
            guard status.st_mode & S_IFMT == S_IFDIR else { throw Failure(description: "\(path) is no directory") }
            return
        }
        if let slash = path.lastIndex(of: "/"), slash != path.startIndex {
            try make(String(path[..<slash]))
        }
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
            throw Failure(description: "\(path) cannot be made: \(String(cString: strerror(errno)))")
        }
    }
}
