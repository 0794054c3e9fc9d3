import GRDB
import Glibc
import UnixIO
import ViewModelStorage

/// An error: a column has another type than the schema defines.
struct UnexpectedColumn: Error {
    let name: String
}

extension StoreError {
    /// Maps an error that occurred while the file at `path` was used.
    init(_ error: any Error, path: String) {
        switch error {
        case let error as StoreError: self = error
        case let error as DatabaseError: self.init(error, path: path)
        case let error as UnexpectedColumn: self = .damaged(path, "column \(error.name)")
        default: self = StoreError(.failed, path, "could not be used: \(type(of: error))")
        }
    }

    /// Maps an error of SQLite.
    ///
    /// Only its code is kept, because the statement's arguments may be secret.
    private init(_ error: DatabaseError, path: String) {
        let text = "SQLite \(error.extendedResultCode.rawValue)"
        switch error.resultCode {
        case .SQLITE_FULL: self = .diskFull(path)
        case .SQLITE_READONLY, .SQLITE_CANTOPEN, .SQLITE_PERM:
            self = Self.hasNoSpace(path) ? .diskFull(path) : .notWritable(path, text)
        case .SQLITE_BUSY, .SQLITE_LOCKED:
            self = StoreError(
                .locked,
                path,
                "is locked by another process (\(text)). Stop the one that has it open, such as a second daemon or sqlite3"
            )
        case .SQLITE_CORRUPT, .SQLITE_NOTADB: self = .damaged(path, text)
        case .SQLITE_MISUSE: self = StoreError(.closed, path, "is closed")
        case .SQLITE_IOERR:
            let reason = "could not be used: the disk reported an error (\(text)). Look at the disk"
            self = Self.hasNoSpace(path) ? .diskFull(path) : StoreError(.diskFailed, path, reason)
        default: self = StoreError(.failed, path, "could not be used (\(text): \(error.resultCode)). Look at the disk")
        }
    }

    private static func hasNoSpace(_ path: String) -> Bool {
        var status = statvfs()
        return statvfs(Paths.split(path).directory.cPath, &status) == 0 && status.f_bavail == 0
    }
}
