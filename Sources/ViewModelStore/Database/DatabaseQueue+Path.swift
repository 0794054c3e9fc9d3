import GRDB
import Glibc
import UnixIO
import ViewModelStorage

extension DatabaseQueue {
    /// `O_PATH`, which the C library hides from Swift.
    private static let pathOnly: Int32 = 0o10000000

    /// Opens a database at a path, whose directory may have bytes that are not UTF-8.
    ///
    /// GRDB gives SQLite the UTF-8 of a text. SQLite then reaches such a directory by its descriptor, and finds the path
    /// itself. The descriptor stays open, because SQLite before 3.39 also opens the log by it.
    static func make(_ path: String, _ configuration: Configuration = Configuration()) throws -> DatabaseQueue {
        guard path.isNotUTF8 else { return try DatabaseQueue(path: path, configuration: configuration) }
        let (parent, name) = Paths.split(path)
        let directory = open(parent.cPath, pathOnly | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { throw StoreError.notWritable(parent, errno: errno) }
        return try DatabaseQueue(path: "/proc/self/fd/\(directory)/\(name)", configuration: configuration)
    }
}
