package import ArgumentParser
import Foundation
package import Logging
import PathArguments
import UnixIO

/// The arguments and the environment of the process.
package enum ProcessArguments {
    /// Ends the process if its arguments cannot be read, or if a value in its environment is not UTF-8.
    ///
    /// Swift reads the arguments from `/proc/self/cmdline`. In a `chroot` without `/proc` every command would run as one
    /// without arguments: `viewmodeld --version` would start a daemon.
    ///
    /// The exit code is 1 without arguments and 73 for a variable. Paths may have any bytes.
    package static func require(as name: String, reading program: DaemonProgram) {
        if ProcessText.arguments.isEmpty { end(as: name, "The arguments cannot be read. Mount /proc", 1) }
        let unreadable = ProcessText.variables.filter(\.value.isNotUTF8)
        guard !unreadable.isEmpty else { return }
        let prefixes = ["viewmodeld", program.name].map { EnvironmentSource.prefix(of: $0) }
        let paths = program.configurationKeys.filter(\.kind.isPath).map { EnvironmentSource.end(of: $0.name) }
        for variable in unreadable.keys.sorted() {
            guard prefixes.contains(where: variable.hasPrefix), variable != EnvironmentSource.clientVariable,
                !prefixes.contains(where: { prefix in paths.contains { prefix + $0 == variable } })
            else { continue }
            // The program does not know the keys of these features; their paths are called so.
            if program.skipsOtherFeatures, variable.hasSuffix("_FILE") { continue }
            end(as: name, "the environment variable \(variable) is not UTF-8 text; write it in UTF-8", 73)
        }
    }

    /// Parses the arguments and runs their command; ends the process after an error, and after a text such as that of
    /// `--help`.
    ///
    /// The error of an output is reported, also where the text for `--help` could not be written.
    ///
    /// - Parameters:
    ///   - root: the type of the command without a subcommand.
    ///   - name: the name of the program.
    ///   - refuse: is called with the exit code and the reason if the arguments are wrong.
    ///   - start: runs the command without a subcommand.
    package static func run<Root: AsyncParsableCommand>(
        _ root: Root.Type,
        as name: String,
        refuse: (ExitCode, _ reason: String) -> Void,
        start: (Root) async throws -> Void
    ) async {
        do {
            var command: any ParsableCommand
            do {
                let arguments = Array(ProcessText.arguments.dropFirst())
                command = try await Root.refusingBytes(in: arguments) { try await Root.asyncParseAsRoot($0) }
            } catch {
                refuse(Root.exitCode(for: error), Root.message(for: error))
                throw error
            }
            switch command {
            case let root as Root: try await start(root)
            case var other as any AsyncParsableCommand: try await other.run()
            default: try command.run()
            }
            try Descriptor.output.finish()
        } catch {
            let (code, text) = (Root.exitCode(for: error), Root.fullMessage(for: error))
            do {
                if error is OutputError || error is ClosedPipe { throw error }
                if !text.isEmpty { try (code == .success ? Descriptor.output : .error).write(line: text) }
                try Descriptor.output.finish()
            } catch {
                end(as: name, "\(error)", 1)
            }
            Foundation.exit(code.rawValue)
        }
    }

    private static func end(as name: String, _ text: String, _ code: Int32) -> Never {
        StandardError.print(as: name, text, level: .critical)
        Foundation.exit(code)
    }
}

extension Logger.Level {
    /// Returns the level of a name on the command line.
    package static func parse(_ name: String) throws -> Logger.Level {
        guard let level = Logger.Level(rawValue: name) else {
            let levels = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("'\(name)' is not a log level. The levels are \(levels).")
        }
        return level
    }
}
