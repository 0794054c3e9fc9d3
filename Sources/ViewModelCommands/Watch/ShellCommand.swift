import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A command that `/bin/sh` runs, with bytes as its standard input and the outputs of this process.
///
/// Foundation's `Process` would hand down that SIGPIPE is ignored. A shell cannot undo that, and pipelines in the command
/// would not end.
enum ShellCommand {
    /// Runs a command and returns its exit status, or 128 and the signal that ended it.
    ///
    /// If the task is cancelled, or if a process of the command stops because it reads the terminal, the processes get
    /// SIGTERM, and SIGKILL if the command has not ended after two seconds.
    ///
    /// - Parameters:
    ///   - command: The command.
    ///   - input: The standard input. The command may end without reading it.
    ///   - environment: The environment.
    /// - Returns: The status.
    /// - Throws: ``CommandFailure`` if `/bin/sh` cannot be started.
    static func run(_ command: String, input: [UInt8], environment: [String: String]) async throws -> Int32 {
        let process = ShellProcess(try start(command, input, environment))
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                Thread.detachNewThread { continuation.resume(returning: process.wait()) }
            }
        } onCancel: {
            process.end()
        }
    }

    private static func start(_ command: String, _ input: [UInt8], _ environment: [String: String]) throws -> pid_t {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw failure(errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let id: pid_t
        do {
            id = try spawn(["/bin/sh", "-c", command], environment.map { "\($0)=\($1)" }, input: ends[0])
        } catch {
            for end in ends { close(end) }
            throw error
        }
        close(ends[0])
        let end = ends[1]
        // A command may read late or not at all, so a thread of its own writes.
        Thread.detachNewThread {
            try? Descriptor(number: end).write(input)
            close(end)
        }
        return id
    }

    private static func spawn(_ arguments: [String], _ environment: [String], input: Int32) throws -> pid_t {
        #if canImport(Darwin)
            var (actions, attributes): (posix_spawn_file_actions_t?, posix_spawnattr_t?) = (nil, nil)
        #else
            var (actions, attributes) = (posix_spawn_file_actions_t(), posix_spawnattr_t())
        #endif
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        var (usual, blocked) = (sigset_t(), sigset_t())
        sigemptyset(&usual)
        sigemptyset(&blocked)
        for signal in [SIGPIPE, SIGINT, SIGTERM] { sigaddset(&usual, signal) }
        posix_spawnattr_setsigdefault(&attributes, &usual)
        posix_spawnattr_setsigmask(&attributes, &blocked)
        // A process group of its own can be ended as a whole.
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(
            &attributes,
            Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP)
        )
        var (words, variables) = (arguments.map { strdup($0) } + [nil], environment.map { strdup($0) } + [nil])
        defer { for text in words + variables { free(text) } }
        var id: pid_t = 0
        let code = posix_spawn(&id, arguments[0], &actions, &attributes, &words, &variables)
        guard code == 0 else { throw failure(code) }
        return id
    }

    private static func failure(_ code: Int32) -> CommandFailure {
        CommandFailure(status: .failed, message: "/bin/sh cannot be started: \(String(cString: strerror(code)))")
    }
}

/// A shell that runs, and its process group.
private final class ShellProcess: Sendable {
    /// The time between SIGTERM and SIGKILL, in seconds.
    private static let patience = 2.0

    private let id: pid_t
    private let hasEnded = Mutex(false)

    init(_ id: pid_t) {
        self.id = id
    }

    /// Waits for the end and returns the exit status, or 128 and the signal that ended the shell.
    func wait() -> Int32 {
        var information = siginfo_t()
        var hasStopped = false
        while true {
            // The process stays a zombie, so that its number is not used again before it is marked as ended.
            if waitid(P_PID, id_t(id), &information, WEXITED | WSTOPPED | WNOWAIT) != 0 {
                guard errno == EINTR else { break }
                continue
            }
            guard information.si_code == CInt(CLD_STOPPED) else { break }
            // Takes the report of the stop, which would come again. An end stays.
            _ = waitid(P_PID, id_t(id), &information, WSTOPPED | WNOHANG)
            if hasStopped { continue }
            hasStopped = true
            // The group is in the background of the terminal, so that reading the terminal stops it.
            let text = "the command has stopped and is ended, because it cannot use the terminal"
            try? Descriptor.error.write(line: "viewmodelctl: \(text)")
            end()
        }
        hasEnded.withLock { $0 = true }
        var status: Int32 = 0
        while waitpid(id, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7F
        return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
    }

    /// Ends the processes of the group.
    func end() {
        send(SIGTERM)
        // A stopped process gets SIGTERM when it continues.
        send(SIGCONT)
        Thread.detachNewThread { [self] in
            Thread.sleep(forTimeInterval: Self.patience)
            send(SIGKILL)
        }
    }

    private func send(_ signal: Int32) {
        hasEnded.withLock { hasEnded in
            if !hasEnded { kill(-id, signal) }
        }
    }
}
