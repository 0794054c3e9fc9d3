import ArgumentParser
import ViewModelClient

/// The verb `viewmodelctl wait INSTANCE OUTPUT=VALUE [--timeout S]`.
struct Wait: Verb {
    static let configuration = CommandConfiguration(
        abstract: "Waits until an output has a value, and prints it.",
        discussion: """
            The value is compared as JSON (1.0 equals 1). If the output is a string, the value is also compared as text. \
            The output may be of kind event.
            """
    )

    @OptionGroup(title: "Options of every verb") var globals: GlobalOptions
    @ParentCommand var root: ViewModelCtl

    @Argument(help: "The instance, for example calculator.")
    var instance: String

    @Argument(
        help: ArgumentHelp("What to wait for, for example undo.enabled=true.", valueName: "output=value"),
        transform: ExpectedValue.init(parsing:)
    )
    var expected: ExpectedValue

    @Option(
        help: ArgumentHelp("The seconds after which to give up, with exit code 6.", valueName: "seconds"),
        transform: Seconds.init(parsing:)
    )
    var timeout: Seconds?

    func run(at context: CommandContext) async throws {
        let client = context.client
        let (instance, expected) = (instance, expected)
        let value = try await Deadline.run(timeout?.duration, "\(instance) \(expected)") {
            try await Self.value(client, instance, expected)
        }
        try context.printer.print(value)
    }

    private static func value(
        _ client: ViewModelClient,
        _ instance: String,
        _ expected: ExpectedValue
    ) async throws -> JSONValue {
        for try await update in client.bind(instance, outputs: [expected.output]) {
            if let value = update.picture[expected.output], expected.matches(value) { return value }
            for event in update.change.events where expected.matches(event.value) { return event.value }
        }
        throw CommandFailure.notFound("\(instance) was closed before \(expected)")
    }
}

/// The value for which `viewmodelctl wait` waits: `OUTPUT=VALUE`.
struct ExpectedValue: Equatable, Sendable, CustomStringConvertible {
    var output: String
    var text: String

    /// Parses `OUTPUT=VALUE`.
    init(parsing argument: String) throws {
        guard let equals = argument.firstIndex(of: "="), equals != argument.startIndex else {
            throw ValidationError("\"\(argument)\" is not OUTPUT=VALUE, as in undo.enabled=true")
        }
        output = String(argument[..<equals])
        text = String(argument[argument.index(after: equals)...])
    }

    var description: String { "\(output)=\(text)" }

    /// Returns whether a value equals the expected one as JSON, or is a string with the expected text.
    func matches(_ value: JSONValue) -> Bool {
        if case .string(let string) = value, string == text { return true }
        return JSONValue(text: text) == value
    }
}
