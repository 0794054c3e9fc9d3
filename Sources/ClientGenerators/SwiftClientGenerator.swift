import ViewModelContract

/// Writes the Swift client of a contract: one file that imports `ViewModelClient` only.
///
/// The file depends on nothing but the contract and the generator's version, so that equal contracts give equal bytes.
enum SwiftClientGenerator {
    /// The version of the generator, which the header names.
    ///
    /// It grows whenever the same contract gives another file.
    static let version = 3

    private static let template = GeneratedTemplate("client.swift")

    static func names(of contract: Contract) -> GeneratedNames { SwiftClientModels(contract).types.given }

    static func text(of contract: Contract) -> String {
        let models = SwiftClientModels(contract)
        let names = [contract.title, contract.version].map(GeneratedText.line).filter { !$0.isEmpty }
        return template.code([
            "daemon": names.isEmpty ? "a daemon of ViewModels" : names.joined(separator: " "),
            "generator": "\(version)", "hash": contract.hash, "isComplete": contract.isComplete ? "true" : "",
            "models": models.models, "values": models.types.declarations, "instances": models.instances,
        ])
    }
}
