import ViewModelHost

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The measurement of the state directory for the daemon's health report.
enum StorageProbe {
    static func health(of directory: String) -> StorageHealth {
        var bytes = 0
        if let stream = opendir(directory) {
            defer { closedir(stream) }
            while let entry = readdir(stream) {
                let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
                }
                var status = stat()
                guard lstat("\(directory)/\(name)", &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
                bytes += Int(status.st_size)
            }
        }
        return StorageHealth(path: directory, bytes: bytes, healthy: access(directory, W_OK) == 0)
    }
}
