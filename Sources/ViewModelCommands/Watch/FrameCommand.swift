import Foundation
import Glibc
import UnixIO
import ViewModelClient

/// A command that `/bin/sh` runs for each frame, with its line as the standard input and the outputs of this process.
struct FrameCommand: Sendable {
    /// The time between SIGTERM and SIGKILL.
    private static let patience = Duration.seconds(2)

    /// The command, for `/bin/sh -c`.
    let command: String
    /// The daemon's socket, for clients that the command starts.
    let socket: String
    let session: String?

    /// Runs the command for an update, reports its failure, and returns its exit status.
    ///
    /// The status is 128 and the signal that ended the command. If the task is cancelled, or if a process of the command
    /// stops because it reads the terminal, the processes get SIGTERM, and SIGKILL if the command has not ended after two
    /// seconds.
    func run(_ update: BindingUpdate) async throws -> Int32 {
        let line = WatchLine(update)
        let status = try await start(line).end(patience: Self.patience)
        try Task.checkCancellation()
        if status != 0 {
            try Descriptor.error.write(line: "viewmodelctl: step \(line.seq): the command ended with \(status)")
        }
        return status
    }

    private func start(_ line: WatchLine) throws -> ChildProcess {
        let bytes = try JSONWriter.text(of: line) + [UInt8(ascii: "\n")]
        let pipe: DescriptorPipe
        do {
            pipe = try DescriptorPipe()
        } catch {
            throw CommandFailure(.failed, "/bin/sh cannot be started: \(error)")
        }
        defer { close(pipe.output) }
        // A command may read late or not at all, so a thread of its own writes. Its write fails if no command starts.
        Thread.detachNewThread {
            try? Descriptor(number: pipe.input).write(bytes)
            close(pipe.input)
        }
        return try ChildProcess(
            "/bin/sh",
            ["-c", command],
            environment: environment(of: line),
            descriptors: [pipe.output, STDOUT_FILENO, STDERR_FILENO]
        ) { process in
            // The group is in the background of the terminal, so that reading the terminal stops it.
            let text = "the command has stopped and is ended, because it cannot use the terminal"
            try? Descriptor.error.write(line: "viewmodelctl: \(text)")
            process.terminate(patience: Self.patience)
        }
    }

    private func environment(of line: WatchLine) -> [String: String?] {
        [
            "VIEWMODELD_SOCKET": socket, "VIEWMODEL_SESSION": session, "VIEWMODEL_INSTANCE": line.id,
            "VIEWMODEL_SEQ": "\(line.seq)", "VIEWMODEL_FULL": "\(line.full)", "VIEWMODEL_LOST": "\(line.lost)",
            "VIEWMODEL_CHANGED": (line.values.objectValue ?? [:]).keys.joined(separator: " "),
            "VIEWMODEL_EVENTS": line.events.map(\.output).joined(separator: " "),
        ]
    }
}
