import CEmbeddedFiles

package enum ClientRuntime {
    /// The JavaScript module that every generated JavaScript client has in itself.
    package static var javaScript: String { text(of: "viewmodel.js") }

    /// Returns the text of a file in `Runtimes` or `Templates`.
    static func text(of name: String) -> String { String(cString: embeddedText(clientRuntimes(), name)) }
}
