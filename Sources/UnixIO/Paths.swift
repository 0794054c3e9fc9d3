import Glibc

/// Questions about paths whose answers are paths (`String.init(systemBytes:)`).
package enum Paths {
    /// Returns a path without links, or nil with `errno` set.
    package static func resolved(_ path: String) -> String? {
        guard let found = realpath(path.cPath, nil) else { return nil }
        defer { free(found) }
        return String(systemCString: found)
    }

    /// Returns the directory of a path, and the name in it.
    package static func split(_ path: String) -> (directory: String, name: String) {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return (".", path) }
        let directory = slash == path.startIndex ? "/" : String(path[..<slash])
        return (directory, String(path[path.utf8.index(after: slash)...]))
    }

    /// Returns the target of a link, or nil with `errno` set.
    package static func target(ofLink path: String) -> String? {
        var target = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(path.cPath, &target, target.count)
        return count < 0 ? nil : String(systemBytes: target[..<count].map(UInt8.init(bitPattern:)))
    }

    /// Returns the names in a directory, with `.` and `..`, or nil with `errno` set.
    package static func entries(of path: String) -> [String]? {
        guard let stream = opendir(path.cPath) else { return nil }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            names.append(withUnsafeBytes(of: entry.pointee.d_name) { String(systemBytes: $0.prefix { $0 != 0 }) })
        }
        return names
    }
}
