import Glibc
import UnixIO

/// The creation of directories that only the daemon's user can access.
package enum PrivateDirectory {
    /// The reason why a directory cannot be used.
    package struct Failure: Error, CustomStringConvertible {
        /// Names the directory and the reason.
        package let description: String

        package init(description: String) {
            self.description = description
        }
    }

    /// Creates a directory and its missing parents with mode 0700.
    package static func make(_ path: String) throws(Failure) {
        if let status = stat(of: path) {
            guard status.kind == S_IFDIR else { throw Failure(description: "\(path) is not a directory") }
            return
        }
        if let slash = path.lastIndex(of: "/"), slash != path.startIndex {
            try make(String(path[..<slash]))
        }
        guard mkdir(path.cPath, 0o700) == 0 || errno == EEXIST else {
            throw Failure(description: "\(path) cannot be created: \(SystemError.last)")
        }
    }
}
