package import Glibc

extension stat {
    /// Returns the status of the file at a path, or nil with `errno` set.
    ///
    /// A link that is not followed is a file of its own.
    package init?(of path: String, followsLinks: Bool = true) {
        self.init()
        guard fstatat(AT_FDCWD, path.cPath, &self, followsLinks ? 0 : AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
    }

    /// Returns the status of an open file, or nil with `errno` set.
    package init?(of descriptor: Int32) {
        self.init()
        guard fstat(descriptor, &self) == 0 else { return nil }
    }

    /// The kind of the file, such as `S_IFREG`.
    package var kind: mode_t { st_mode & S_IFMT }

    package var identity: FileIdentity { FileIdentity(device: st_dev, inode: st_ino) }
}

/// What identifies a file while it exists.
package struct FileIdentity: Hashable, Sendable {
    let device: dev_t
    let inode: ino_t
}
