import ArgumentParser
import ViewModelClient

/// The verb `viewmodelctl call INSTANCE.MEMBER [name=value …] [--json PARAMS]`.
struct Call: Verb {
    static let configuration = CommandConfiguration(
        abstract: "Sends a value to an input, or runs an action, and prints the result.",
        usage: "viewmodelctl call <instance.member> [<name=value> ...] [--json <params>]",
        discussion: """
            name=text   a text, or the number in it if the contract requires a number
            name:=json  a JSON value
            name=@file  the content of a file; name=@- reads the standard input, for example a password, which a \
            terminal does not show
            text        the value alone, for a member that takes one plain value
            -- text     the value alone, unchanged: for a text that a user has typed, because @, =, := and a \
            leading - have a meaning without the --
            """
    )

    @OptionGroup(title: "Options of every verb") var globals: GlobalOptions
    @ParentCommand var root: ViewModelCtl

    @Option(help: "The params as a JSON object or array.", transform: JSONArgument.init(parsing:))
    var json: JSONArgument?

    @Argument(
        parsing: .allUnrecognized,
        help: ArgumentHelp(
            "The input or action, for example calculator.press, and its values.",
            valueName: "instance.member"
        )
    )
    var words: [String] = []

    func validate() throws {
        guard let method = words.first else { throw ValidationError("Missing expected argument '<instance.member>'") }
        for word in words.prefix(while: { $0 != "--" }) where word.hasPrefix("-") && !CallArgument.isValue(word) {
            throw ValidationError("Unknown option '\(word)'")
        }
        guard MemberPath(method: method) != nil else {
            throw ValidationError("'\(method)' is not instance.member, as in calculator.press")
        }
        guard json == nil || words.count == 1 else { throw ValidationError("--json stands for all values") }
        do {
            _ = try Parameters(Array(words.dropFirst()))
        } catch {
            throw ValidationError(ErrorText.join(error.message, error.remedy))
        }
    }

    func run(at context: CommandContext) async throws {
        guard let path = words.first.flatMap(MemberPath.init(method:)) else { return }
        let params = try Parameters(Array(words.dropFirst()))
        if let json {
            return try context.printer.print(raw: try await context.client.request(path.method, params: json.bytes))
        }
        var encoded: [UInt8]?
        if !params.values.isEmpty {
            let shape = params.needsContract ? try await shape(of: path, context) : .unknown
            try params.checkNames(for: shape, of: path)
            encoded = JSONValue.object(try await params.object(shape, reading: context.input)).text
        }
        try context.printer.print(raw: try await context.client.request(path.method, params: encoded))
    }

    /// Returns the parameters of the member from the contract of its instance's type.
    private func shape(of path: MemberPath, _ context: CommandContext) async throws -> ParameterForm {
        let contract = try await context.contract()
        if let type = contract.type(of: path.instance) {
            return contract.shape(of: path.member, type: type) ?? .unknown
        }
        let instances = try await context.client.call(ViewModelList.self).instances
        guard let type = instances.first(where: { $0.id == path.instance })?.type else { return .unknown }
        return contract.shape(of: path.member, type: type) ?? .unknown
    }
}

/// A check for the words of a call that begin with a dash.
private enum CallArgument {
    /// Returns whether the word is a value, such as `-` or `-5`, and not an option.
    static func isValue(_ word: String) -> Bool {
        guard let second = word.dropFirst().first else { return true }
        return second.isNumber || second == "." || second == "="
    }
}
