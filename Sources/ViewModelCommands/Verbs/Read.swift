import ArgumentParser
import UnixIO
import ViewModelClient

struct Read: Verb {
    static let configuration = CommandConfiguration(
        commandName: "read",
        abstract: "Prints the current values of an instance.",
        discussion: "The result is one object with a member for each output. Events have no value and are left out."
    )

    @OptionGroup(title: "Options of every verb") var options: GlobalOptions

    @Argument(help: "The instance, for example calculator or mine.header.")
    var instance: String

    @Argument(help: "The outputs. The default is all of them.")
    var outputs: [String] = []

    @OptionGroup var windows: WindowOptions

    @OptionGroup var secrets: SecretOptions

    func run(at context: CommandContext) async throws {
        let picture = try await context.client.read(
            instance,
            outputs: outputs.isEmpty ? nil : outputs,
            windows: windows.byOutput
        )
        let values = try await SecretFilter(context, secrets).filtered(picture.values, of: picture.id)
        if context.printer.isText, outputs.count == 1, let output = outputs.first, let value = values[output] {
            try context.printer.print(value)
        } else {
            if context.printer.isText, values.isEmpty {
                try Descriptor.error.write(line: "viewmodelctl: \(PlainText.of(instance)) has no outputs with values")
            }
            try context.printer.print(.object(values))
        }
    }
}
