import Glibc
import UnixIO
import ViewModelHost

/// The directory of additions to a configuration file: `viewmodeld.d` beside `viewmodeld.yaml`.
struct AdditionalFiles: Sendable {
    /// The path of the directory: that of the file, with `.d` in place of the extension.
    let directory: String

    init(of file: String) {
        let start = file.lastIndex(of: "/").map { file.index(after: $0) } ?? file.startIndex
        // The dot of a hidden file begins no extension.
        let dot = file[start...].dropFirst().lastIndex(of: ".")
        directory = file[..<(dot ?? file.endIndex)] + ".d"
    }

    /// Returns the paths of the files that end in `.yaml` and are not hidden, in the byte order of their names.
    ///
    /// - Throws: `ConfigurationError`: the directory exists and cannot be read.
    func paths() throws(ConfigurationError) -> [String] {
        guard let names = Paths.entries(of: directory) else {
            guard errno != ENOENT else { return [] }
            let message = "the directory cannot be read: \(String(cString: strerror(errno)))"
            throw ConfigurationError(problems: [.init(location: .init(source: directory), message: message)])
        }
        return names.filter { $0.hasSuffix(".yaml") && !$0.hasPrefix(".") }
            .sorted { $0.systemBytes.lexicographicallyPrecedes($1.systemBytes) }
            .map { directory + "/" + $0 }
    }
}
