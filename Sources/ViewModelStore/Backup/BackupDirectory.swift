import Glibc
import UnixIO
import ViewModelStorage

/// The rules for the directory of a backup.
enum BackupDirectory {
    /// Follows the links of a path, and checks the directory of each (``checkDirectories(of:stateDirectory:)``).
    ///
    /// Root follows only links of root.
    ///
    /// - Returns: The path without links.
    /// - Throws: `StoreError`.
    static func check(_ path: String, stateDirectory: String) throws(StoreError) -> String {
        var path = path
        for _ in 0..<40 {
            let checked = try checkDirectories(of: path, stateDirectory: stateDirectory)
            guard let status = stat(of: checked, followsLinks: false), let target = Paths.target(ofLink: checked) else {
                return checked
            }
            guard geteuid() != 0 || status.st_uid == 0 else {
                throw StoreError(.notWritable, checked, "is a link of another user, which root does not follow")
            }
            path = target.hasPrefix("/") ? target : "\(Paths.split(checked).directory)/\(target)"
        }
        throw StoreError(.notWritable, path, "has too many links")
    }

    /// Checks the directory of a backup, and every directory that contains it.
    ///
    /// SQLite opens the draft by its path. A user who can rename a directory of the path, or replace a link in it, could
    /// make root write to another file.
    ///
    /// - Returns: The path without links in its directories, which is the one that was checked.
    /// - Throws: `StoreError` for a file in the state directory or in a subdirectory of it, and, if root writes, for a
    ///   directory that another user can change.
    private static func checkDirectories(of path: String, stateDirectory: String) throws(StoreError) -> String {
        let given = Paths.split(path).directory
        let directory = Paths.resolved(given) ?? given
        let state = stat(of: stateDirectory)?.identity
        for directory in ancestors(of: directory) {
            guard let status = stat(of: directory) else { continue }
            guard status.identity != state else {
                throw StoreError(
                    .notWritable,
                    path,
                    "is in the state directory, and would be lost with it. Choose a file elsewhere"
                )
            }
            guard geteuid() != 0 || belongsToRoot(status) else {
                throw StoreError(
                    .notWritable,
                    path,
                    """
                    is not written by root, because another user can change \(directory) and so exchange the file \
                    meanwhile. Choose a directory of root, such as /var/backups, or run this command as that user
                    """
                )
            }
        }
        let name = path.split(separator: "/").last ?? ""
        return directory == "/" ? "/\(name)" : "\(directory)/\(name)"
    }

    /// Returns whether only root can rename and remove what root has in a directory.
    private static func belongsToRoot(_ status: stat) -> Bool {
        status.st_uid == 0 && (status.st_mode & (S_IWGRP | S_IWOTH) == 0 || status.st_mode & S_ISVTX != 0)
    }

    private static func ancestors(of directory: String) -> [String] {
        var directories = [directory]
        while let last = directories.last, last.hasPrefix("/"), last != "/" {
            directories.append(Paths.split(last).directory)
        }
        return directories
    }
}
