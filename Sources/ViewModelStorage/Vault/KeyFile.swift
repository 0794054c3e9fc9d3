#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Key files, which are never accessible to other users and never half written under their final name.
package enum KeyFile {
    static func exists(_ path: String) -> Bool {
        access(path, F_OK) == 0
    }

    package static func read(_ path: String, isCredential: Bool = false) throws(StoreError) -> VaultKey {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw unusable(path, "cannot be read (\(reason()))") }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw unusable(path, "cannot be read (\(reason()))") }
        // The mode of a systemd credential shows its access list in the bits of the group.
        guard isCredential || status.st_mode & 0o077 == 0 else {
            throw unusable(path, "can be read or written by other users. Run: chmod 600 \(path)")
        }
        guard isCredential || status.st_uid == geteuid() || status.st_uid == 0 else {
            throw unusable(path, "belongs to another user (\(status.st_uid)). Run: chown \(geteuid()) \(path)")
        }
        var text: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1024)
        while text.count <= buffer.count {
            let count = posixRead(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw unusable(path, "cannot be read (\(reason()))") }
            if count == 0 { break }
            text += buffer[..<count]
        }
        guard let key = VaultKey(base64: text) else {
            let expected = "32 bytes in base64 are expected, as from `head -c 32 /dev/urandom | base64`"
            throw unusable(path, "is not a key: \(expected)")
        }
        return key
    }

    /// Creates a key file through a draft and `link`, which never replaces an existing file.
    static func make(_ key: VaultKey, at path: String, by draft: String) throws(StoreError) {
        try writeOut(key, to: draft)
        defer { remove(draft) }
        guard link(draft, path) == 0 else { throw unwritable(path) }
        try PrivateFile.synchronize(directory: PrivateFile.directory(of: path))
    }

    /// Writes a key to a new file, and makes the content and the name durable.
    static func write(_ key: VaultKey, to path: String) throws(StoreError) {
        try writeOut(key, to: path)
        try PrivateFile.synchronize(directory: PrivateFile.directory(of: path))
    }

    /// Writes a key to a new file whose name is not durable yet.
    private static func writeOut(_ key: VaultKey, to path: String) throws(StoreError) {
        guard PrivateFile.create(path, with: key.line) else { throw unwritable(path) }
    }

    /// Replaces a key file with another one, and makes the change durable.
    static func move(_ path: String, to target: String) throws(StoreError) {
        guard rename(path, target) == 0 else { throw unusable(target, "cannot be replaced (\(reason()))") }
        try PrivateFile.synchronize(directory: PrivateFile.directory(of: target))
    }

    /// Returns whether a file is readable and shorter than any key, as after a crash during its write.
    static func isFragment(_ path: String) -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var status = stat()
        // 32 bytes in base64 have 44 characters.
        return fstat(descriptor, &status) == 0 && status.st_size < 44
    }

    package static func remove(_ path: String) {
        unlink(path)
    }

    private static func unusable(_ path: String, _ text: String) -> StoreError {
        StoreError(.unusableKey, path, text)
    }

    private static func unwritable(_ path: String) -> StoreError {
        errno == ENOSPC || errno == EDQUOT ? .diskFull(path) : unusable(path, "cannot be written (\(reason()))")
    }

    private static func reason() -> String {
        String(cString: strerror(errno))
    }
}

/// The system's `read`, which `KeyFile.read` hides.
private func posixRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer, _ count: Int) -> Int {
    read(descriptor, buffer, count)
}
