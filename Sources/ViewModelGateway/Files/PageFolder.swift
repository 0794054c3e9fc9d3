import ViewModelConfiguration

/// The files that the gateway serves: those in the program, and during development those of a directory.
struct PageFolder: Sendable {
    private let files: [String: (type: String, bytes: [UInt8])]
    /// A directory whose files replace those of the program, for those who edit them.
    private let directory: String?

    init(_ files: [PageFile] = PageFile.all, directory: String? = nil) {
        self.files = Dictionary(files.map { ($0.path, ($0.contentType, $0.bytes)) }) { first, _ in first }
        self.directory = directory
    }

    /// Returns the content of a path, or nil if no file has it.
    func content(of path: String) -> (type: String, bytes: [UInt8])? {
        if let directory, let content = Self.content(of: path, in: directory) { return content }
        return files[path]
    }

    private static func content(of path: String, in directory: String) -> (type: String, bytes: [UInt8])? {
        // The files are in one folder: `/` is index.html, and `/app/` is app.html.
        let path = path == "/" ? "/index.html" : path.hasSuffix("/") ? path.dropLast() + ".html" : path
        let names = path.split(separator: "/")
        guard names.allSatisfy({ !$0.hasPrefix(".") && !$0.contains("\0") }),
            let text = try? FileText.read(directory + "/" + names.joined(separator: "/"), atMost: 4 << 20)
        else { return nil }
        return (PageFile.contentType(of: String(names.last ?? "")), Array(text.utf8))
    }
}
