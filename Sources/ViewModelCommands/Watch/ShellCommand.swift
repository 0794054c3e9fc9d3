import Foundation
import Glibc
import UnixIO

/// A command that `/bin/sh` runs, with bytes as its standard input and the outputs of this process.
enum ShellCommand {
    /// The time between SIGTERM and SIGKILL.
    private static let patience = Duration.seconds(2)

    /// Runs a command and returns its exit status, or 128 and the signal that ended it.
    ///
    /// If the task is cancelled, or if a process of the command stops because it reads the terminal, the processes get
    /// SIGTERM, and SIGKILL if the command has not ended after two seconds.
    /// The command may end without reading its input. A variable without a value is left out.
    static func run(_ command: String, input: [UInt8], environment: [String: String?]) async throws -> Int32 {
        let pipe: DescriptorPipe
        do {
            pipe = try DescriptorPipe()
        } catch {
            throw CommandFailure(.failed, "/bin/sh cannot be started: \(error)")
        }
        let process: ChildProcess
        do {
            process = try ChildProcess(
                "/bin/sh",
                ["-c", command],
                environment: environment,
                descriptors: [pipe.output, STDOUT_FILENO, STDERR_FILENO]
            ) { process in
                // The group is in the background of the terminal, so that reading the terminal stops it.
                let text = "the command has stopped and is ended, because it cannot use the terminal"
                try? Descriptor.error.write(line: "viewmodelctl: \(text)")
                process.terminate(patience: patience)
            }
        } catch {
            close(pipe.output)
            close(pipe.input)
            throw error
        }
        close(pipe.output)
        // A command may read late or not at all, so a thread of its own writes.
        Thread.detachNewThread {
            try? Descriptor(number: pipe.input).write(input)
            close(pipe.input)
        }
        return await process.end(patience: patience)
    }
}
