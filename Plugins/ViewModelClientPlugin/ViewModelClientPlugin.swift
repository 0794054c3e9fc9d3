import Foundation
import PackagePlugin

/// Writes the Swift client of the contract file in a target, whenever the file has changed.
@main
struct ViewModelClientPlugin: BuildToolPlugin {
    /// The ending of a contract file: `podcast.contract.json`.
    private static let suffix = ".contract.json"

    func createBuildCommands(context: PluginContext, target: any Target) async throws -> [Command] {
        guard let target = target.sourceModule else { return [] }
        let contracts = target.sourceFiles.map(\.url).filter { $0.lastPathComponent.hasSuffix(Self.suffix) }
        guard let contract = contracts.first, contracts.count == 1 else {
            Diagnostics.error(
                "\(target.name) has \(contracts.count) files that end in \(Self.suffix); it must have one"
            )
            return []
        }
        let name = contract.lastPathComponent.dropLast(Self.suffix.count)
        let client = context.pluginWorkDirectoryURL.appending(component: "\(name)Client.swift")
        return [
            .buildCommand(
                displayName: "Writing the client of \(contract.lastPathComponent)",
                executable: try context.tool(named: "viewmodel-client-generator").url,
                arguments: [contract.path(percentEncoded: false), client.path(percentEncoded: false)],
                inputFiles: [contract],
                outputFiles: [client]
            )
        ]
    }
}
