import Foundation
import Logging
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
        let prefixes = ["viewmodeld", program.name].map { EnvironmentSource.prefix(of: $0) }
        for (variable, value) in ProcessText.variables.sorted(by: { $0.key < $1.key }) where value.isNotUTF8 {
            guard prefixes.contains(where: variable.hasPrefix), variable != EnvironmentSource.clientVariable,
                !prefixes.contains(where: { EnvironmentSource.paths(of: program, prefix: $0).contains(variable) })
            else { continue }
            // The program does not know the keys of these features; their paths are called so.
            if program.skipsOtherFeatures, variable.hasSuffix("_FILE") { continue }
            end(as: name, "the environment variable \(variable) is not UTF-8 text; write it in UTF-8", 73)
        }
    }

    private static func end(as name: String, _ text: String, _ code: Int32) -> Never {
        StandardError.print(as: name, text, level: .critical)
        Foundation.exit(code)
    }

    /// Ends the process after an error of its command line or of a command, whose text is a result if the code is 0.
    ///
    /// The error of an output is reported, also where the text for `--help` could not be written.
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
