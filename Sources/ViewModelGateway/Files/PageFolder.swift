import CEmbeddedFiles
import ClientGenerators
import Digests
import NIOCore
import ViewModelConfiguration

/// The files that the gateway serves: those in the program, and during development those of a directory.
struct PageFolder: Sendable {
    /// A file as browsers get it.
    struct Content: Sendable {
        let type: String
        let bytes: ByteBuffer
        /// The entity tag of the bytes.
        let tag: String
        /// The bytes in gzip, if they are fewer.
        var gzip: ByteBuffer?
        /// Whether the name changes with the bytes.
        var isImmutable = false

        init(_ text: String, of name: Substring) {
            type =
                switch name.split(separator: ".").last {
                case "html": "text/html; charset=utf-8"
                case "js", "mjs": "text/javascript; charset=utf-8"
                case "css": "text/css; charset=utf-8"
                case "svg": "image/svg+xml"
                case "json", "webmanifest": "application/json"
                case "png": "image/png"
                default: "application/octet-stream"
                }
            bytes = ByteBuffer(string: text)
            tag = "\"\(PageFolder.digest(text).prefix(32))\""
        }
    }

    static func digest(_ text: String) -> String { SHA256.hash(Array(text.utf8)).hexadecimal }

    /// The files in the program, by the paths under which browsers find them.
    static let embedded: [String: Content] = {
        // The files are in one folder: `/` is index.html, and `/app/` is app.html.
        let paths = ["index.html": "/", "app.html": "/app/"]
        var texts = ["viewmodel.js": ClientRuntime.javaScript]
        for page in sequence(first: gatewayPages(), next: { $0 + 1 }) {
            guard let start = page.pointee.name else { break }
            texts[String(cString: start)] = String(cString: page.pointee.text)
        }
        var files: [String: Content] = [:]
        func add(_ text: String, as name: String, isImmutable: Bool = false) {
            var file = Content(text, of: name[...])
            let gzip = ContentCoding.gzip(file.bytes)
            if gzip.readableBytes < file.bytes.readableBytes { file.gzip = gzip }
            file.isImmutable = isImmutable
            files[paths[name] ?? "/\(name)"] = file
        }
        for (name, text) in texts {
            guard name.hasSuffix(".html") else { add(text, as: name); continue }
            let bundle = PageBundle(text, texts)
            add(bundle.page, as: name)
            for (name, text) in bundle.files { add(text, as: name, isImmutable: true) }
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
