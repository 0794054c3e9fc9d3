import Glibc
import UnixIO
import ViewModelClient
import ViewModelCommands

/// A program in the background that prints into a private file.
struct LoggedProgram: Sendable {
    let process: ChildProcess
    private let log: String

    /// Starts a program; `log` is the path of the file, whose former content is lost.
    init(
        _ program: String,
        _ arguments: [String],
        environment: [String: String?] = [:],
        log: String
    ) throws(CommandFailure) {
        let flags = O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_NOFOLLOW | O_CLOEXEC
        let descriptor = open(log.cPath, flags, 0o600)
        guard descriptor >= 0 else { throw CommandFailure(.failed, "\(log) cannot be written: \(SystemError.last)") }
        defer { close(descriptor) }
        self.log = log
        process = try ChildProcess(
            program,
            arguments,
            environment: environment,
            descriptors: [nil, descriptor, descriptor]
        )
    }

    /// The lines that the program has printed.
    var lines: [Substring] {
        let text = (try? InputReader.readAll(log)).map { String(decoding: $0, as: UTF8.self) }
        return text?.split(separator: "\n") ?? []
    }
}

extension ChildProcess {
    /// Waits until the daemon in this process has sent the values of a ViewModel; returns false if it ends before.
    func answers(at socket: String) async throws -> Bool {
        var options = ClientOptions()
        options.reconnects = false
        while isRunning {
            do {
                _ = try await withViewModelClient(socket: socket, options: options) { try await $0.read("daemon") }
                return true
            } catch is ClientError {
                try await Task.sleep(for: .milliseconds(10))
            }
        }
        return false
    }
}
