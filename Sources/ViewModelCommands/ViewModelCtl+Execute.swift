import ArgumentParser
import Glibc
import PathArguments
import UnixIO
import UnixSignals
import ViewModelClient

extension ViewModelCtl {
    /// The outcome of one of the two tasks: the command or the wait for signals.
    private enum Outcome {
        case ended(ExitStatus)
        case signalled(ExitStatus)
        case unsignalled
    }

    /// Runs a command line and returns the exit status.
    ///
    /// SIGINT and SIGTERM cancel the command, which also cancels a running request at the daemon. A second signal ends
    /// the process at once. A closed output pipe ends the command without a message.
    ///
    /// - Parameter arguments: The command line without the program's name.
    /// - Returns: The exit status.
    package static func execute(_ arguments: [String]) async -> ExitStatus {
        signal(SIGPIPE, SIG_IGN)
        return await withTaskGroup(of: Outcome.self) { group in
            group.addTask { .ended(await status(of: arguments)) }
            group.addTask { await firstSignal() }
            var interruption = ExitStatus.interrupted
            while let outcome = await group.next() {
                switch outcome {
                case .unsignalled: break
                case .signalled(let status):
                    interruption = status
                    group.cancelAll()
                case .ended(let status):
                    group.cancelAll()
                    return status == .interrupted ? interruption : status
                }
            }
            return interruption
        }
    }

    private static func firstSignal() async -> Outcome {
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
            return .signalled(number == .sigint ? .interrupted : .terminated)
        }
        return .unsignalled
    }

    private static func status(of arguments: [String]) async -> ExitStatus {
        if arguments.first == Completion.option {
            await Completion.run(Array(arguments.dropFirst()))
            return .done
        }
        let words = CommandWords(arguments)
        do {
            if let failure = words.unknownVerb { throw failure }
            let command = try await refusingBytes(in: arguments) { try parseAsRoot($0) }
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
