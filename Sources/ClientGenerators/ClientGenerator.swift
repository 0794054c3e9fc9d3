package import ViewModelContract
import ViewModelProtocol

/// A generator of typed clients for one language, or of an adapter between these clients and a kit for user interfaces.
///
/// The same contract gives the same bytes.
package struct ClientGenerator: Sendable {
    package struct File: Equatable, Sendable {
        /// The end of the file's name: `.py`, `.js`, `.d.ts`.
        package let suffix: String
        package let text: String
    }

    /// The name of the language or of the kit, as on the command line.
    package let language: String
    /// Returns the files of the client, the most important first.
    package let files: @Sendable (Contract) -> [File]

    /// The name of the language, for people.
    let title: String
    /// Returns the names in the client, by which programs use it.
    package let names: @Sendable (Contract) -> GeneratedNames
    /// The file of an adapter, which is the same for each contract; nil for a client.
    package let adapter: File?

    private init(
        _ language: String,
        _ title: String,
        names: @escaping @Sendable (Contract) -> GeneratedNames,
        files: @escaping @Sendable (Contract) -> [File]
    ) {
        self.language = language
        self.title = title
        self.names = { names($0.withNamedParameters) }
        self.files = { files($0.withNamedParameters) }
        adapter = nil
    }

    private init(adapter kit: String, _ file: String) {
        language = kit
        title = kit
        let adapter = File(
            suffix: String(file[(file.lastIndex(of: ".") ?? file.endIndex)...]),
            text: ClientRuntime.text(of: file)
        )
        self.adapter = adapter
        names = { _ in GeneratedNames() }
        files = { _ in [adapter] }
    }

    package static let swift = ClientGenerator("swift", "Swift", names: SwiftClientGenerator.names) { contract in
        [File(suffix: ".swift", text: SwiftClientGenerator.text(of: contract))]
    }

    package static let all: [ClientGenerator] = [
        ClientGenerator("python", "Python", names: PythonClient.names) { contract in
            [File(suffix: ".py", text: PythonClient.text(of: contract, version: Release.version))]
        },
        ClientGenerator("typescript", "TypeScript", names: { JavaScriptNames($0).given }) { contract in
            [File(suffix: ".ts", text: JavaScriptClient(contract, version: Release.version).text(.typescript))]
        },
        ClientGenerator("javascript", "JavaScript", names: { JavaScriptNames($0).given }) { contract in
            let client = JavaScriptClient(contract, version: Release.version)
            return [
                File(suffix: ".js", text: client.text(.javascript)),
                File(suffix: ".d.ts", text: client.text(.declarations)),
            ]
        },
        swift,
    ]

    /// The adapters, by the names of their kits.
    package static let adapters: [ClientGenerator] = [
        ClientGenerator(adapter: "gtk", "viewmodel_gtk.py"), ClientGenerator(adapter: "qt", "viewmodel_qt.py"),
        ClientGenerator(adapter: "textual", "viewmodel_textual.py"),
        ClientGenerator(adapter: "react", "viewmodel-react.js"), ClientGenerator(adapter: "dom", "viewmodel-dom.js"),
    ]
}
