import Foundation

/// A process that a verb has started.
struct ChildProcess: Sendable {
    private static let patience = Duration.seconds(10)
    private static let step = Duration.milliseconds(20)

    private let process: Process

    /// Starts a process.
    ///
    /// - Parameters:
    ///   - executable: the path of the program.
    ///   - arguments: the arguments without the program's name.
    ///   - environment: the environment; nil for that of this process.
    ///   - input: the standard input; nil for the null device.
    ///   - output: the standard output and error; nil for the standard error of this process.
    /// - Throws: `CommandFailure` if the program cannot be started.
    init(
        _ executable: String,
        _ arguments: [String],
        environment: [String: String]? = nil,
        input: Pipe? = nil,
        output: FileHandle? = nil
    ) throws(CommandFailure) {
        process = Process()
        process.executableURL = URL(fileURLWithPath: executable)
        process.arguments = arguments
        if let environment { process.environment = environment }
        if let input { process.standardInput = input } else { process.standardInput = FileHandle.nullDevice }
        process.standardOutput = output ?? FileHandle.standardError
        process.standardError = output ?? FileHandle.standardError
        do {
            try Self.withAllSignals { try process.run() }
        } catch {
            throw CommandFailure(
                status: .noConnection,
                message: "\(executable) cannot be started: \(error.localizedDescription)"
            )
        }
    }

    /// Unblocks all signals while `start` starts a process.
    ///
    /// A process inherits the signal mask of the starting thread, and the threads of Swift's tasks block all signals.
    private static func withAllSignals(_ start: () throws -> Void) rethrows {
        var (none, before) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        try start()
    }

    /// Whether the process has not ended.
    var isRunning: Bool { process.isRunning }

    /// The exit status of a process that has ended.
    var status: Int32 { process.terminationStatus }

    /// Waits for the end of the process and returns its status.
    ///
    /// The process is stopped if the task is cancelled.
    func end() async -> Int32 {
        while isRunning {
            do {
                try await Task.sleep(for: Self.step)
            } catch {
                return await stop()
            }
        }
        return status
    }

    /// Sends SIGTERM to the process, waits for its end and returns its status.
    ///
    /// After ten seconds it sends SIGKILL.
    @discardableResult
    func stop() async -> Int32 {
        if isRunning { process.terminate() }
        // The process must end even if this task is cancelled, so a detached task waits for it.
        return await Task.detached { [self] in
            let start = ContinuousClock.now
            while isRunning {
                if ContinuousClock.now - start > Self.patience { kill(process.processIdentifier, SIGKILL) }
                try? await Task.sleep(for: Self.step)
            }
            return status
        }.value
    }
}
