import ViewModelClient
import ViewModelCommands
import ViewModelContract
import ViewModelYAML

/// A contract that a verb reads: from a file, from the standard input, or from the daemon.
enum ContractSource {
    /// Reads a contract file in JSON or YAML.
    ///
    /// The path `-` is the standard input. The error of a file has the position of the first mistake in it.
    static func read(_ path: String) async throws -> Contract {
        let bytes = try await path == "-" ? StandardInput.bytes() : InputReader.bytes(of: path)
        let text = try InputReader.text(bytes, of: path)
        do {
            return try Contract(ContractNode(parsing: text))
        } catch {
            let line = error.line.map { ":\($0)" } ?? ""
            let position = error.pointer.isEmpty ? "" : "\(error.pointer): "
            throw CommandFailure.usage(
                "\(path)\(line): \(position)\(error.message)",
                remedy: "A contract has the form of rpc.discover, in JSON or YAML: viewmodelctl rpc rpc.discover"
            )
        }
    }

    static func fetch(_ client: ViewModelClient) async throws -> Contract {
        let document = try await client.call(RPCDiscover.self)
        do {
            return try Contract(ContractNode(document))
        } catch {
            throw CommandFailure(
                .protocolError,
                "The contract of the daemon cannot be read: \(error.pointer): \(error.message)",
                remedy: "viewmodelctl and the daemon may be of different versions"
            )
        }
    }
}
