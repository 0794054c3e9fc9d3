import ArgumentParser
import ViewModelClient

/// The verb `viewmodelctl wait INSTANCE OUTPUT=VALUE|OUTPUT!=VALUE|OUTPUT --change`.
struct Wait: Verb {
    static let configuration = CommandConfiguration(
        abstract: "Waits until an output has a value, or changes, and prints the value.",
        discussion: """
            led=15         until the value is 15
            led!=0         until the value is another than 0
            led --change   until the value is another than at the start

            A JSON Pointer after the output names a part of its value, such as rows/0/text=milk. A part that does not \
            exist differs from every value.

            The value is compared as JSON (1.0 equals 1). If the output is a string, the value is also compared as text. \
            The output may be of kind event: the command waits for an event that fits, or with --change for the next one.
            """
    )

    @OptionGroup(title: "Options of every verb") var globals: GlobalOptions
    @ParentCommand var root: ViewModelCtl

    @Argument(help: "The instance, for example calculator.")
    var instance: String

    @Argument(
        help: ArgumentHelp("What to wait for, for example undo.enabled=true.", valueName: "output=value"),
        transform: Condition.init(parsing:)
    )
    var condition: Condition

    @Flag(help: "Wait until the output changes.")
    var change = false

    @Flag(help: "Reconnect after a lost connection and resume.")
    var reconnect = false

    @OptionGroup var secrets: SecretOptions

    var reconnects: Bool { reconnect }

    var delay: String { "\(instance) \(condition) did not come" }

    func validate() throws {
        guard change == (condition.comparison == .change) else {
            throw ValidationError(
                change
                    ? "--change stands for a value: write \(condition.output) --change"
                    : "\"\(condition)\" is not OUTPUT=VALUE, as in undo.enabled=true; --change waits for any change"
            )
        }
    }

    func run(at context: CommandContext) async throws {
        var watch = ConditionWatch(condition)
        let filter = SecretFilter(context, secrets)
        for try await update in context.client.bind(instance, outputs: [condition.output]) {
            guard let found = watch.match(in: update) else { continue }
            return try context.printer.print(found.value(in: try await filter.filtered(update)))
        }
        throw CommandFailure.notFound("\(instance) was closed before \(condition)")
    }
}
