#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Directories that are nobody else's business.
enum PrivateDirectory {
    /// Why a directory cannot be used.
    struct Failure: Error, CustomStringConvertible {
        /// Names the directory and what stands in the way.
        let description: String
    }

    /// Takes a directory's permissions from everybody else, where it belongs to this user.
    static func close(_ path: String) {
        var status = stat()
        if stat(path, &status) == 0, status.st_uid == geteuid(), status.st_mode & 0o077 != 0 { chmod(path, 0o700) }
    }

    /// Makes a directory of mode 0700 and those above it, where they do not exist.
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
