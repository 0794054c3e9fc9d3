import ViewModelContract

/// The runtimes of generated clients, for programs that serve them as they are.
package enum ClientRuntime {
    /// The JavaScript module that every generated JavaScript client has in itself.
    package static var javaScript: String { JavaScriptRuntime.text(of: .javascript) }
}
