import ArgumentParser
import ViewModelClient

/// The verbs, options and arguments of the program, as the parser describes them.
struct CommandTree {
    /// An option or an argument.
    struct Parameter {
        let kind: String
        /// The names with their dashes.
        let names: [String]
        let valueName: String
        let values: [String]
        let description: String
        let isRepeating: Bool

        fileprivate init(_ value: JSONValue) {
            kind = value["kind"]?.stringValue ?? ""
            names = (value["names"]?.arrayValue ?? []).compactMap { name in
                name["name"]?.stringValue.map { (name["kind"] == .string("long") ? "--" : "-") + $0 }
            }
            valueName = value["valueName"]?.stringValue ?? ""
            // The cases of an enum, or a list for the completion alone.
            let listed = value["allValues"] ?? value["completionKind"]?["list"]?["values"]
            values = (listed?.arrayValue ?? []).compactMap(\.stringValue)
            description = value["abstract"]?.stringValue ?? ""
            isRepeating = value["isRepeating"]?.boolValue ?? false
        }
    }

    /// A verb.
    struct Command {
        let name: String
        let description: String
        let parameters: [Parameter]

        fileprivate init(_ value: JSONValue) {
            name = value["commandName"]?.stringValue ?? ""
            description = value["abstract"]?.stringValue ?? ""
            parameters = (value["arguments"]?.arrayValue ?? [])
                .filter { $0["shouldDisplay"]?.boolValue ?? true }.map(Parameter.init)
        }

        /// Returns the option of a name that has a value.
        func option(_ name: String) -> Parameter? {
            parameters.first { $0.kind == "option" && $0.names.contains(name) }
        }

        /// Returns the argument at a position after the verb.
        func argument(_ position: Int) -> Parameter? {
            let arguments = parameters.filter { $0.kind == "positional" }
            if position < arguments.count { return arguments[position] }
            return arguments.last.flatMap { $0.isRepeating ? $0 : nil }
        }
    }

    /// The program itself.
    let root: Command
    let verbs: [Command]

    init() {
        let command = JSONValue(text: ViewModelCtl._dumpHelp())?["command"] ?? .null
        root = Command(command)
        verbs = (command["subcommands"]?.arrayValue ?? []).map(Command.init)
    }
}
