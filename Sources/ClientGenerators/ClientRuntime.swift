package import CEmbeddedFiles

/// The text files that are parts of a program.
package enum EmbeddedText {
    /// Returns the text of a file.
    package static func named(_ name: String, in files: UnsafePointer<EmbeddedFile>) -> String {
        let files = sequence(first: files) { $0 + 1 }.prefix { $0.pointee.name != nil }
        guard let file = files.first(where: { String(cString: $0.pointee.name) == name }) else {
            preconditionFailure("Sources/CEmbeddedFiles has no \(name)")
        }
        return String(cString: file.pointee.text)
    }
}

/// The runtimes of generated clients, as they stand in `Runtimes`.
package enum ClientRuntime {
    /// The JavaScript module that every generated JavaScript client has in itself.
    package static var javaScript: String { text(of: "viewmodel.js") }

    /// Returns the text of a file in `Runtimes`.
    static func text(of name: String) -> String { EmbeddedText.named(name, in: clientRuntimes()) }
}
