import Foundation
import Logging
import UnixIO

/// The arguments and the environment of the process.
package enum ProcessArguments {
    /// The variables that have paths, beside those of the configuration.
    private static let paths: Set = [
        "CREDENTIALS_DIRECTORY", "HOME", "RUNTIME_DIRECTORY", "STATE_DIRECTORY", "TMPDIR", "XDG_CONFIG_HOME",
        "XDG_RUNTIME_DIR", "XDG_STATE_HOME",
    ]

    /// Ends the process if its arguments cannot be read, or if they or the paths of its environment are not UTF-8.
    ///
    /// Swift reads the arguments from `/proc/self/cmdline`. In a `chroot` without `/proc` every command would run as one
    /// without arguments: `viewmodeld --version` would start a daemon. Bytes that are not UTF-8 would be replaced, and a
    /// path would name another file.
    ///
    /// The exit code is 1 without arguments, 64 for an argument and 73 for a variable.
    ///
    /// - Parameter name: The name of the program, for the error.
    package static func require(as name: String) {
        let prefix = name.uppercased().replacing("-", with: "_") + "_"
        if CommandLine.arguments.isEmpty {
            end(as: name, "The arguments cannot be read. Mount /proc", 1)
        } else if let problem = ProcessText.argumentProblem {
            end(as: name, problem, 64)
        } else if let problem = ProcessText.variableProblem(paths, prefixes: ["VIEWMODELD_", prefix]) {
            end(as: name, problem, 73)
        }
    }

    private static func end(as name: String, _ text: String, _ code: Int32) -> Never {
        StandardError.print(
            as: name,
            text,
            level: .critical,
            environment: ProcessInfo.processInfo.environment
        )
        Foundation.exit(code)
    }

    /// Ends the process after an error of its command line or of a command.
    ///
    /// - Parameters:
    ///   - name: The name of the program.
    ///   - error: The error. That of an output is reported, also where the text for `--help` could not be written.
    ///   - code: The exit code for the error.
    ///   - text: The text for the error, which is a result if the code is 0.
    package static func end(as name: String, after error: any Error, code: Int32, text: String) -> Never {
        do {
            if error is OutputError || error is ClosedPipe { throw error }
            if !text.isEmpty { try (code == 0 ? Descriptor.output : .error).write(line: text) }
            try Descriptor.output.finish()
        } catch {
            end(as: name, "\(error)", 1)
        }
        Foundation.exit(code)
    }
}
