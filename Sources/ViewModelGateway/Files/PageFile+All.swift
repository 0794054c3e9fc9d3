import CEmbeddedFiles
import ClientGenerators

extension PageFile {
    /// Every file, with the path under which browsers find it.
    static let all: [PageFile] =
        sequence(first: gatewayPages()) { $0 + 1 }.prefix { $0.pointee.name != nil }.map { file in
            let name = String(cString: file.pointee.name)
            let text = String(cString: file.pointee.text)
            return PageFile(
                path: paths[name] ?? "/\(name)",
                contentType: contentType(of: name),
                bytes: Array(text.utf8)
            )
        } + [PageFile(path: "/viewmodel.js", contentType: script, bytes: Array(ClientRuntime.javaScript.utf8))]

    /// The paths that are not names of files.
    private static let paths = ["index.html": "/", "app.html": "/app/"]
}
