import ArgumentParser
import UnixSignals
import ViewModelClient

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

extension ViewModelCtl {
    /// How the work and the waiting for signals can end.
    private enum Outcome {
        case ended(ExitStatus)
        case signalled(ExitStatus)
        case unsignalled
    }

    /// Does what a command line asks for and returns the status to end with.
    ///
    /// SIGINT and SIGTERM cancel the work, so that a running request is cancelled at the daemon, too; a second signal
    /// ends the process at once. A reader of the output that goes away ends it quietly.
    ///
    /// - Parameter arguments: The command line without the program's name.
    public static func execute(_ arguments: [String]) async -> ExitStatus {
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
            signal(SIGINT) { _ in _exit(ExitStatus.interrupted.rawValue) }
            signal(SIGTERM) { _ in _exit(ExitStatus.terminated.rawValue) }
            return .signalled(number == .sigint ? .interrupted : .terminated)
        }
        return .unsignalled
    }

    private static func status(of arguments: [String]) async -> ExitStatus {
        do {
            let command = try parseAsRoot(arguments)
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                var command = command
                try command.run()
            }
            return .done
        } catch {
            return Report(error).write()
        }
    }
}
