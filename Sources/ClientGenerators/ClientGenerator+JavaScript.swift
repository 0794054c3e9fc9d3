import ViewModelContract
import ViewModelProtocol

extension ClientGenerator {
    /// Writes an ES module, and its types in a declaration file beside it.
    package static let javascript = ClientGenerator(
        language: "javascript",
        title: "JavaScript",
        names: { JavaScriptNames($0).given }
    ) { contract in
        let client = JavaScriptClient(contract, version: Release.version)
        return [File(suffix: ".js", text: client.javascript), File(suffix: ".d.ts", text: client.declarations)]
    }

    /// Writes a TypeScript module.
    package static let typescript = ClientGenerator(
        language: "typescript",
        title: "TypeScript",
        names: { JavaScriptNames($0).given }
    ) { contract in
        [File(suffix: ".ts", text: JavaScriptClient(contract, version: Release.version).typescript)]
    }
}
