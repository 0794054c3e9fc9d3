import ArgumentParser
import JSONRPC
import UnixIO
import ViewModelConfiguration

struct ConfigurationCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "configuration",
        abstract: "Prints a configuration file with every key, its meaning and its default.",
        discussion: "All values are comments, so the file changes nothing."
    )

    @Flag(help: "Print the keys as a JSON array.")
    var json = false

    func run() throws {
        let program = RunningDaemon.program
        guard json else { return try Descriptor.output.write(Array(program.exampleFile.utf8)) }
        let keys = program.documentedKeys.map { key, variable, meaning in
            JSONValue.object([
                "name": .string(key.name),
                "meaning": .string(meaning),
                "expectation": .string(key.expectation),
                "variable": .string(variable),
                "default": key.defaultText.map { .string($0) } ?? .null,
                "live": .bool(key.isLive),
            ])
        }
        try Descriptor.output.write(line: "\(JSONValue.array(keys))")
    }
}
