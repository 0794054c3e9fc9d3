import ArgumentParser
import UnixIO
import ViewModelClient
import ViewModelContract

struct Wait: Verb {
    static let configuration = CommandConfiguration(
        commandName: "wait",
        abstract: "Waits until an output has a value, or changes, and prints the value.",
        discussion: """
            led=15         until the value is 15
            led!=0         until the value is another than 0
            led --change   until the value is another than at the start

            A JSON Pointer after the output names a part of its value, such as rows/0/text=milk. A part that does not \
            exist differs from every value.

            The value is compared as JSON (1.0 equals 1). If the output is a string, the value is also compared as text. \
            The output may be of kind event: the command waits for an event that fits, or with --change for the next one.

            A value that the type of the output excludes cannot come. The command then ends at once with exit code 7.
            """
    )

    @OptionGroup(title: "Options of every verb") var options: GlobalOptions

    @Argument(help: "The instance, for example calculator.")
    var instance: String

    @Argument(
        help: ArgumentHelp("What to wait for, for example undo.enabled=true.", valueName: "output=value"),
        transform: Condition.init(parsing:)
    )
    var condition: Condition

    @Flag(help: "Wait until the output changes.")
    var change = false

    @Flag(name: .customLong("reconnect"), help: "Wait for the daemon, reconnect after a lost connection, and resume.")
    var reconnects = false

    @OptionGroup var secrets: SecretOptions

    var delay: String { "\(instance) \(condition) did not come" }

    func validate() throws {
        guard change == (condition.expected == nil) else {
            throw ValidationError(
                change
                    ? "--change stands for a value: write \(condition.path) --change"
                    : "\"\(condition.path)\" is not OUTPUT=VALUE, as in undo.enabled=true. "
                        + "To wait for any change, write \(condition.path) --change"
            )
        }
    }

    func run(at context: CommandContext) async throws {
        while true {
            do {
                try await checkCondition(at: context)
                break
            } catch let error as ClientError where reconnects && error.isOfARestart {
                try await Task.sleep(for: .milliseconds(100))
            }
        }
        var watch = ConditionWatch(condition)
        let filter = SecretFilter(context, secrets)
        for try await update in context.client.bind(instance, outputs: [condition.output]) {
            guard let value = watch.match(in: update) else { continue }
            return try context.printer.print(value(try await filter.filtered(update)))
        }
        throw CommandFailure.notFound("\(instance) was closed before \(condition)")
    }

    /// Refuses a condition that the contract excludes, and warns of one that is probably another than was meant.
    ///
    /// The daemon refuses an unknown instance or output at the binding.
    private func checkCondition(at context: CommandContext) async throws {
        guard let type = try await context.type(of: instance),
            let output = type.outputs.first(where: { $0.name.isExactly(condition.output) })
        else { return }
        let components = try await context.contract(of: instance).components
        try context.warnOfSecret(in: condition, output.schema, components)
        if let problem = condition.problem(output.schema, in: components) {
            if condition.isNegated {
                try warn("each value differs: \(problem.text)", problem.remedy)
            } else {
                throw CommandFailure(
                    .invalidParams,
                    "\(instance) \(condition) cannot come: \(problem.text)",
                    remedy: problem.remedy
                )
            }
        } else if let text = condition.expected, text.utf8.first == UInt8(ascii: "=") {
            try warn("the value that is compared is \"\(text)\"", "One = is enough")
        }
    }

    private func warn(_ text: String, _ remedy: String?) throws {
        let line = PlainText.of(ErrorText.join("\(condition): \(text)", remedy))
        try Descriptor.error.write(line: "viewmodelctl: warning: \(line)")
    }
}

extension ClientError {
    /// Whether a request failed because the daemon restarts, so that a later one succeeds.
    fileprivate var isOfARestart: Bool {
        switch code {
        case .connectionLost, .outcomeUnknown: true
        default: reply?.code == .shuttingDown
        }
    }
}
