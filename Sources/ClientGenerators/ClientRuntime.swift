import CEmbeddedFiles

/// The runtimes of generated clients, as they stand in `Runtimes`.
package enum ClientRuntime {
    /// The JavaScript module that every generated JavaScript client has in itself.
    package static var javaScript: String { text(of: "viewmodel.js") }

    /// Returns the text of a file in `Runtimes`.
    static func text(of name: String) -> String {
        let files = sequence(first: clientRuntimes()) { $0 + 1 }
        guard
            let file = files.prefix(while: { $0.pointee.name != nil }).first(where: {
                String(cString: $0.pointee.name) == name
            })
        else { preconditionFailure("Sources/CEmbeddedFiles has no \(name)") }
        return String(cString: file.pointee.text)
    }
}
