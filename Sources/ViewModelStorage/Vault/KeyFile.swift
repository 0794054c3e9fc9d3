import Glibc
import UnixIO
import ViewModelHost

/// Key files, which are never accessible to other users and never half written under their final name.
package enum KeyFile {
    package static func exists(_ path: String) -> Bool {
        access(path.cPath, F_OK) == 0
    }

    package static func read(_ path: String, isCredential: Bool = false) throws(StoreError) -> VaultKey {
        let text: [UInt8]
        do {
            text = try SecretFile.read(path, atMost: 1024, isCredential: isCredential)
        } catch {
            throw unusable(path, error.description)
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
        guard link(draft.cPath, path.cPath) == 0 else { throw unwritable(path) }
        try PrivateFile.synchronize(directory: Paths.split(path).directory)
    }

    /// Writes a key to a new file, and makes the content and the name durable.
    package static func write(_ key: VaultKey, to path: String) throws(StoreError) {
        try writeOut(key, to: path)
        try PrivateFile.synchronize(directory: Paths.split(path).directory)
    }

    /// Writes a key to a new file whose name is not durable yet.
    private static func writeOut(_ key: VaultKey, to path: String) throws(StoreError) {
        guard PrivateFile.create(path, with: key.line) else { throw unwritable(path) }
    }

    /// Replaces a key file with another one, and makes the change durable.
    package static func move(_ path: String, to target: String) throws(StoreError) {
        guard rename(path.cPath, target.cPath) == 0 else {
            throw unusable(target, "cannot be replaced (\(SystemError.last))")
        }
        try PrivateFile.synchronize(directory: Paths.split(target).directory)
    }

    /// Returns whether a file is readable and shorter than any key, as after a crash during its write.
    package static func isFragment(_ path: String) -> Bool {
        let descriptor = open(path.cPath, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        // 32 bytes in base64 have 44 characters.
        return stat(of: descriptor).map { $0.st_size < 44 } ?? false
    }

    package static func remove(_ path: String) {
        unlink(path.cPath)
    }

    private static func unusable(_ path: String, _ text: String) -> StoreError {
        StoreError(.unusableKey, path, text)
    }

    private static func unwritable(_ path: String) -> StoreError {
        errno == ENOSPC || errno == EDQUOT ? .diskFull(path) : unusable(path, "cannot be written (\(SystemError.last))")
    }
}
