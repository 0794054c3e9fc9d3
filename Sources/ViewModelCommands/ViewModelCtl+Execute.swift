package import ArgumentParser
import Glibc
import PathArguments
import UnixIO
import UnixSignals
import ViewModelClient

extension ViewModelCtl {
    /// Runs a command line and returns the exit status.
    ///
    /// SIGINT and SIGTERM cancel the command, which also cancels a running request at the daemon. A second signal ends
    /// the process at once. A closed output pipe ends the command without a message.
    package static func execute(_ arguments: [String], adding verbs: [CommandGroup]) async -> ExitStatus {
        signal(SIGPIPE, SIG_IGN)
        return await $addedVerbs.withValue(verbs) { await execute(arguments) }
    }

    private static func execute(_ arguments: [String]) async -> ExitStatus {
        await withTaskGroup(of: (isCommand: Bool, status: ExitStatus?).self) { group in
            group.addTask { (true, await status(of: arguments)) }
            group.addTask { (false, await firstSignal()) }
            var interruption = ExitStatus.interrupted
            while let (isCommand, status) = await group.next() {
                guard let status else { continue }
                group.cancelAll()
                if isCommand { return status == .interrupted ? interruption : status }
                interruption = status
            }
            return interruption
        }
    }

    /// Parses a command line, in which the options of every verb stand before the verb or after it.
    static func command(_ words: [String]) throws -> any ParsableCommand {
        try parseAsRoot(CommandWords(words).withOptionsAfterVerb)
    }

    /// Waits for a signal and returns the status that it leads to; nil if the task is cancelled.
    private static func firstSignal() async -> ExitStatus? {
        for await number in await UnixSignalsSequence(trapping: .sigint, .sigterm) {
            AlternateScreen.prepare()
            signal(SIGINT) { _ in
                AlternateScreen.abandon()
                _exit(ExitStatus.interrupted.rawValue)
            }
            signal(SIGTERM) { _ in
                AlternateScreen.abandon()
                _exit(ExitStatus.terminated.rawValue)
            }
            return number == .sigint ? .interrupted : .terminated
        }
        return nil
    }

    private static func status(of arguments: [String]) async -> ExitStatus {
        if arguments.first == Completion.option {
            await Completion.run(Array(arguments.dropFirst()))
            return .done
        }
        let words = CommandWords(arguments)
        do {
            if let failure = words.unknownVerb { throw failure }
            let command = try await refusingBytes(in: arguments) { try Self.command($0) }
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                var command = command
                try command.run()
            }
            try Descriptor.output.finish()
            return .done
        } catch {
            return ErrorReport(error).write(asJSON: words.value(of: "--output") == OutputFormat.json.rawValue)
        }
    }
}
