import Foundation
import Logging

/// The arguments of the process.
package enum ProcessArguments {
    /// Ends the process with 1 if its arguments cannot be read.
    ///
    /// Swift reads them from `/proc/self/cmdline`. In a `chroot` without `/proc` every command would run as one without
    /// arguments: `viewmodeld --version` would start a daemon.
    ///
    /// - Parameter name: The name of the program, for the error.
    package static func require(as name: String) {
        guard CommandLine.arguments.isEmpty else { return }
        StandardError.print(
            as: name,
            "The arguments cannot be read. Mount /proc",
            level: .critical,
            environment: ProcessInfo.processInfo.environment
        )
        Foundation.exit(1)
    }
}
