package import ViewModelContract

/// Writes the Swift client of a contract: one file that imports `ViewModelClient` only.
///
/// The file depends on nothing but the contract and the generator's version, so that equal contracts give equal bytes.
package struct SwiftClientGenerator {
    /// The version of the generator, which the header names.
    ///
    /// It grows whenever the same contract gives another file.
    package static let version = 2

    private static let template = GeneratedTemplate("client.swift")

    private let contract: Contract

    /// Creates a generator for a contract.
    package init(_ contract: Contract) {
        self.contract = contract
    }

    /// Returns the names in the client for a contract.
    static func names(of contract: Contract) -> GeneratedNames { SwiftClientModels(contract).types.given }

    /// Returns the text of the file.
    package func text() -> String {
        let models = SwiftClientModels(contract)
        let names = [contract.title, contract.version].map(GeneratedText.line).filter { !$0.isEmpty }
        return Self.template.code([
            "daemon": names.isEmpty ? "a daemon of ViewModels" : names.joined(separator: " "),
            "generator": "\(Self.version)", "hash": contract.hash, "isComplete": contract.isComplete ? "true" : "",
            "models": models.models, "values": models.types.declarations, "instances": models.instances,
        ])
    }
}
