import ArgumentParser
import Foundation
import ViewModelClient
import ViewModelContract
import ViewModelYAML

/// A contract that a verb reads: from a file, from the standard input, or from the daemon.
enum ContractSource {
    /// Reads a contract file in JSON or YAML.
    ///
    /// - Parameter path: the path, or `-` for the standard input.
    /// - Returns: The contract.
    /// - Throws: `CommandFailure` with the place of the first error.
    static func read(_ path: String) throws -> Contract {
        let data: Data
        do {
            let url = URL(fileURLWithPath: path)
            data = try path == "-" ? FileHandle.standardInput.readToEnd() ?? Data() : Data(contentsOf: url)
        } catch {
            throw CommandFailure(status: .failed, message: "\(path) cannot be read: \(error.localizedDescription)")
        }
        do {
            return try Contract(ContractNode(parsing: String(decoding: data, as: UTF8.self)))
        } catch {
            let line = error.line.map { ":\($0)" } ?? ""
            let place = error.pointer.isEmpty ? "" : "\(error.pointer): "
            throw CommandFailure(
                status: .failed,
                message: "\(path)\(line): \(place)\(error.message)",
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
