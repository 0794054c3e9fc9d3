import ClientGenerators
import FoundationEssentials
import UnixIO
import ViewModelContract
import ViewModelHost
public import ViewModelKit
import ViewModelProtocol

/// Compares the contract of a catalog's ViewModels with a file beside the test.
///
///     @Test func `the contract is the agreed one`() throws {
///         try expectContract(of: catalog, matches: "Contracts/podcast.json")
///     }
///
/// The contract has the saved values. One that the ViewModels cannot read any more is a breaking difference, unless its
/// class has a new migration.
///
/// The file is JSON with sorted members, for a version control system. A daemon can host it with `--mock`. If the file
/// does not exist, or if the environment variable `VIEWMODEL_UPDATE` is `1`, a contract that differs is written to it.
///
/// - Parameters:
///   - catalog: the ViewModels. Those of every daemon, such as `prompter`, are left out.
///   - path: the path of the file, relative to the folder of the test's source file.
///   - sourceFile: the test's source file.
/// - Throws: ``HarnessError`` if the contracts differ, with each difference and whether it breaks clients; also after a
///   file was written, so that no test passes unseen. An error of the file system if the file cannot be read or written.
public func expectContract(
    of catalog: ViewModelCatalog,
    matches path: String,
    sourceFile: String = #filePath
) throws {
    let folder = URL(filePath: sourceFile).deletingLastPathComponent()
    try GoldenContract(catalog).check(
        URL(filePath: path, relativeTo: folder).path,
        named: path,
        isUpdated: ProcessInfo.processInfo.environment["VIEWMODEL_UPDATE"] == "1"
    )
}

/// The contract of a catalog's ViewModels, as a file keeps it.
struct GoldenContract {
    let contract: JSONValue

    init(_ catalog: ViewModelCatalog) throws {
        let document = try SessionHarness(catalog).connectAnonymously().request("rpc.discover")
        let types = (document["x-viewModels"]?.objectValue ?? [:]).filter { !InstanceID.builtIn.contains($0.key) }
        var contract = document.contract(of: types)
        contract["x-savedValues"] = document["x-savedValues"]
        self.contract = .object(contract)
    }

    /// Compares the contract with a file, which is written if it is missing or is to be updated.
    ///
    /// - Throws: ``HarnessError`` if the contracts differ or the file was written, and errors of the file system.
    func check(_ file: String, named name: String, isUpdated: Bool) throws {
        guard FileManager.default.fileExists(atPath: file) else {
            try write(to: file)
            throw HarnessError("\(name) did not exist and was written; read it, and run the test again")
        }
        let text = try Data(contentsOf: URL(filePath: file))
        guard let old = JSONValue(text: Array(text)) else {
            throw HarnessError("\(name) is not JSON; remove it to have it written again")
        }
        guard old != contract else { return }
        let verdict: String
        do {
            verdict = try Self.verdict(from: old, to: contract)
        } catch {
            throw HarnessError("\(name) is not a contract: \(error.pointer): \(error.message)")
        }
        if isUpdated { try write(to: file) }
        throw HarnessError(
            "The contract differs from \(name). \(verdict)\n"
                + (isUpdated
                    ? "The file was written; run the test without VIEWMODEL_UPDATE"
                    : "VIEWMODEL_UPDATE=1 writes the new contract to the file")
        )
    }

    /// Returns what the differences mean for clients of the old contract, with a line for each difference.
    private static func verdict(from old: JSONValue, to new: JSONValue) throws(ContractFault) -> String {
        let difference = ContractDifference(
            from: try Contract(ContractNode(json: old.description)),
            to: try Contract(ContractNode(json: new.description))
        )
        let lines = difference.changes.map { "\n  \($0.severity.rawValue): \($0.place) \($0.text)" }.joined()
        return switch difference.severity {
        case nil: "Only descriptions differ."
        case .additive: "Clients of the file work:\(lines)"
        case .source: "Clients of the file work; code that uses generated clients may not compile:\(lines)"
        case .breaking: "Clients of the file may fail:\(lines)"
        }
    }

    private func write(to file: String) throws {
        let url = URL(filePath: file)
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try OutputFile(url.path).write(Array((Self.text(contract) + "\n").utf8))
    }

    /// Returns a value as JSON text with a line for each member, so that a difference is a line.
    static func text(_ value: JSONValue, indentation: String = "") -> String {
        let inner = indentation + "  "
        switch value {
        case .array(let elements) where !elements.isEmpty:
            let lines = elements.map { inner + text($0, indentation: inner) }
            return "[\n\(lines.joined(separator: ",\n"))\n\(indentation)]"
        case .object(let members) where !members.isEmpty:
            let sorted = members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            let lines = sorted.map { "\(inner)\(JSONValue.string($0.key)): \(text($0.value, indentation: inner))" }
            return "{\n\(lines.joined(separator: ",\n"))\n\(indentation)}"
        default: return value.description
        }
    }
}
