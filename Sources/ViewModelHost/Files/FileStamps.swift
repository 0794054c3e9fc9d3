import Glibc
import UnixIO

/// The identities, sizes and times of files, which differ after a change.
package struct FileStamps: Equatable, Sendable {
    private struct Stamp: Equatable {
        let path: String
        let identity: FileIdentity?
        var size: off_t?
        /// Seconds and nanoseconds of the last change of the text and of the attributes.
        var times: [Int] = []
    }

    private let stamps: [Stamp]

    /// Reads the stamps of the files that the paths lead to.
    ///
    /// A directory has no size and times, because its entries are not a part of it.
    package init(of paths: [String]) {
        stamps = paths.map { path in
            guard let status = stat(of: path) else { return Stamp(path: path, identity: nil) }
            var stamp = Stamp(path: path, identity: status.identity)
            guard status.kind != S_IFDIR else { return stamp }
            stamp.size = status.st_size
            stamp.times = [status.st_mtim, status.st_ctim].flatMap { [$0.tv_sec, $0.tv_nsec] }
            return stamp
        }
    }
}
