import Foundation
import Logging
import Synchronization
import UnixIO
import ViewModelConfiguration

/// The daemon that this process runs.
///
/// ArgumentParser makes commands and their options by their types. The options have default paths and help texts that
/// depend on the daemon's name, so the name is kept here.
enum RunningDaemon {
    private static let names = Mutex<(program: DaemonProgram, version: String)?>(nil)

    /// The program, whose name is a part of paths and texts.
    static var program: DaemonProgram { current.program }
    /// The version that `--version` prints and that clients receive.
    static var version: String { current.version }

    /// Sets the program, before the command line is parsed.
    static func start(_ program: DaemonProgram, version: String) {
        names.withLock { $0 = (program, version) }
    }

    /// Writes lines about the start on the standard error, before the log exists.
    static func print(_ text: String, level: Logger.Level) {
        StandardError.print(as: program.name, text, level: level, environment: ProcessText.variables)
    }

    private static var current: (program: DaemonProgram, version: String) {
        guard let names = names.withLock({ $0 }) else {
            preconditionFailure("ViewModelDaemon.run() sets the names before it parses the command line")
        }
        return names
    }
}
