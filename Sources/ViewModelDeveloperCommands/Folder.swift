import Glibc
import UnixIO

enum Folder {
    /// Makes a folder and those that lead to it.
    ///
    /// A folder that exists stays as it is.
    static func makeAll(_ path: String, mode: mode_t = 0o777) throws(SystemError) {
        do {
            try make(path, mode: mode)
        } catch {
            switch error.code {
            case EEXIST:
                guard stat(of: path)?.kind == S_IFDIR else { throw error }
            case ENOENT:
                guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { throw error }
                try makeAll(String(path[..<slash]), mode: mode)
                try make(path, mode: mode)
            default: throw error
            }
        }
    }

    /// Makes a folder.
    static func make(_ path: String, mode: mode_t = 0o777) throws(SystemError) {
        guard mkdir(path.cPath, mode) == 0 else { throw .last }
    }
}
