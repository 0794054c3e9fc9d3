import ArgumentParser
import Foundation

/// The program or a verb, with its options and arguments, as the parser describes them.
struct CommandTree: Decodable {
    /// An option or an argument.
    struct Parameter: Decodable {
        struct Name: Decodable {
            let kind, name: String
        }

        struct Completion: Decodable {
            let list: [String: [String]]?
        }

        let kind: String
        let names: [Name]?
        let valueName, abstract: String?
        let allValues: [String]?
        let completionKind: Completion?
        let isRepeating, shouldDisplay: Bool

        /// The names that begin with two dashes.
        var longNames: [String] { (names ?? []).filter { $0.kind == "long" }.map { "--\($0.name)" } }

        /// The values: the cases of an enum, or a list for the completion alone.
        var values: [String] { allValues ?? completionKind?.list?["values"] ?? [] }
    }

    private struct Description: Decodable {
        let command: CommandTree
    }

    let commandName: String
    let abstract: String?
    let arguments: [Parameter]?
    let subcommands: [CommandTree]?

    /// The tree of the whole program; nil if the parser describes it in a form that this type does not know.
    static var program: CommandTree? {
        try? JSONDecoder().decode(Description.self, from: Data(ViewModelCtl._dumpHelp().utf8)).command
    }

    var parameters: [Parameter] { (arguments ?? []).filter(\.shouldDisplay) }
    var verbs: [CommandTree] { subcommands ?? [] }

    /// Returns the option of a name that has a value.
    func option(_ name: String) -> Parameter? {
        parameters.first { $0.kind == "option" && $0.longNames.contains(name) }
    }

    /// Returns the argument at a position after the verb.
    func argument(_ position: Int) -> Parameter? {
        let arguments = parameters.filter { $0.kind == "positional" }
        if position < arguments.count { return arguments[position] }
        return arguments.last.flatMap { $0.isRepeating ? $0 : nil }
    }
}
