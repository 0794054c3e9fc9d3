import ArgumentParser
import ViewModelClient
import ViewModelContract
import ViewModelYAML

/// A contract that a verb reads: from a file, from the standard input, or from the daemon.
enum ContractSource {
    /// Reads a contract file in JSON or YAML.
    ///
    /// - Parameter path: the path, or `-` for the standard input.
    /// - Returns: The contract.
    /// - Throws: ``CommandFailure`` of status 64 if the file cannot be read, or with the place of the first error in
    ///   it; `CancellationError`.
    static func read(_ path: String) async throws -> Contract {
        let bytes = try await path == "-" ? StandardInput.bytes() : InputReader.bytes(of: path)
        let text = try InputReader.text(bytes, of: path)
        do {
            return try Contract(ContractNode(parsing: text))
        } catch {
            let line = error.line.map { ":\($0)" } ?? ""
            let place = error.pointer.isEmpty ? "" : "\(error.pointer): "
            throw CommandFailure.usage(
                "\(path)\(line): \(place)\(error.message)",
                remedy: "A contract has the form of rpc.discover, in JSON or YAML: viewmodelctl rpc rpc.discover"
            )
        }
    }

    /// Fetches the contract of the daemon.
    static func fetch(_ client: ViewModelClient) async throws -> Contract {
        let document = try await client.call(RPCDiscover.self)
        do {
            return try Contract(ContractNode(document))
        } catch {
            throw CommandFailure(
                status: .protocolError,
                message: "The contract of the daemon cannot be read: \(error.pointer): \(error.message)",
                remedy: "viewmodelctl and the daemon may be of different versions"
            )
        }
    }
}
