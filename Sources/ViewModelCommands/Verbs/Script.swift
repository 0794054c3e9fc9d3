import ArgumentParser
import JSONRPC
import PathArguments
import ViewModelClient

struct Script: Verb {
    static let configuration = CommandConfiguration(
        commandName: "script",
        abstract: "Runs many verbs over one connection, one a line, and stops at the first failure.",
        discussion: """
            A line is a verb and its arguments, as after viewmodelctl, quoted as in a shell. A # begins a comment. \
            All lines share one session. The exit code is that of the line that failed.

              call calculator.press 7
              wait calculator led=7 --timeout 2
              read calculator led
            """
    )

    @OptionGroup(title: "Options of every verb") var options: GlobalOptions

    @Argument(help: "The script. The default, and -, is the standard input.")
    var file = PathArgument(argument: "-")

    @OptionGroup var secrets: SecretOptions

    func run(at context: CommandContext) async throws {
        var number = 0
        var context = context
        context.showsSecrets = secrets.areShown
        context.isInScript = true
        if file.path == "-" {
            context.input = InputReader(standardInputReader: "the script")
            let lines = StandardInput.Lines()
            while let line = try await lines.next() {
                number += 1
                try await run(line, number, at: context)
            }
        } else {
            for line in try await context.input.file(file.path).lines {
                number += 1
                try await run(Array(line.utf8), number, at: context)
            }
        }
    }

    private func run(_ bytes: [UInt8], _ number: Int, at context: CommandContext) async throws {
        do {
            let line = try InputReader.text(bytes, of: "The line")
            let words = try ShellLine.words(ofScript: number == 1 ? line.withoutByteOrderMark : line)
            guard !words.isEmpty else { return }
            if let failure = CommandWords(words).unknownVerb { throw failure }
            guard let verb = try ViewModelCtl.command(words) as? any Verb, !(verb is Script) else {
                throw CommandFailure.usage("\(words[0]) cannot stand in a script")
            }
            let options = verb.options
            guard options.socket == nil, options.session == nil, options.linger == nil, !options.existing,
                !verb.reconnects
            else {
                throw CommandFailure.usage(
                    "A line has no connection of its own",
                    remedy: "--socket and --session go to viewmodelctl script"
                )
            }
            try await TimeLimit.run(verb.timeLimit, verb.delay) {
                var own = context
                if let format = try options.format() { own.printer = Printer(format) }
                try await verb.run(at: own)
            }
        } catch {
            throw ScriptFailure(line: number, cause: error)
        }
    }
}

struct ScriptFailure: Error {
    /// The line's number, starting with 1.
    var line: Int
    var cause: any Error
}
