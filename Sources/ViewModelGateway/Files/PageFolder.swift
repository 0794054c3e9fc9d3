import CEmbeddedFiles
import ClientGenerators
import ViewModelConfiguration

/// The files that the gateway serves: those in the program, and during development those of a directory.
struct PageFolder: Sendable {
    /// A file as browsers get it.
    struct Content: Sendable {
        let type: String
        let bytes: [UInt8]

        init(_ text: String, of name: Substring) {
            type =
                switch name.split(separator: ".").last {
                case "html": "text/html; charset=utf-8"
                case "js", "mjs": "text/javascript; charset=utf-8"
                case "css": "text/css; charset=utf-8"
                case "svg": "image/svg+xml"
                case "json": "application/json"
                case "png": "image/png"
                default: "application/octet-stream"
                }
            bytes = Array(text.utf8)
        }
    }

    /// The files in the program, by the paths under which browsers find them.
    static let embedded: [String: Content] = {
        // The files are in one folder: `/` is index.html, and `/app/` is app.html.
        let paths = ["index.html": "/", "app.html": "/app/"]
        var files = ["/viewmodel.js": Content(ClientRuntime.javaScript, of: "viewmodel.js")]
        for page in sequence(first: gatewayPages(), next: { $0 + 1 }) {
            guard let start = page.pointee.name else { break }
            let name = String(cString: start)
            files[paths[name] ?? "/\(name)"] = Content(String(cString: page.pointee.text), of: name[...])
        }
        return files
    }()

    /// A directory whose files replace those of the program, for those who edit them.
    var directory: String?

    /// Returns the content of a path, or nil if no file has it.
    func content(of path: String) -> Content? {
        if let directory, let content = Self.content(of: path, in: directory) { return content }
        return Self.embedded[path]
    }

    private static func content(of path: String, in directory: String) -> Content? {
        let path = path == "/" ? "/index.html" : path.hasSuffix("/") ? path.dropLast() + ".html" : path
        let names = path.split(separator: "/")
        guard names.allSatisfy({ !$0.hasPrefix(".") && !$0.contains("\0") }),
            let text = try? FileText.read(directory + "/" + names.joined(separator: "/"), atMost: 4 << 20)
        else { return nil }
        return Content(text, of: names.last ?? "")
    }
}
