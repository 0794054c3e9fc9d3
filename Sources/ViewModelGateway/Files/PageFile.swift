/// A file of the pages that the gateway serves, as it stands in the program.
struct PageFile: Sendable {
    /// The path of its address.
    let path: String
    let contentType: String
    let bytes: [UInt8]

    /// Returns the content type of a file name.
    static func contentType(of name: String) -> String {
        switch name.split(separator: ".").last {
        case "html": html
        case "js", "mjs": script
        case "css": style
        case "svg": image
        case "json": "application/json"
        case "png": "image/png"
        default: "application/octet-stream"
        }
    }

    static let html = "text/html; charset=utf-8"
    static let script = "text/javascript; charset=utf-8"
    static let style = "text/css; charset=utf-8"
    static let image = "image/svg+xml"
}
