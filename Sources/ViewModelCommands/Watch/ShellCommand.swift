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
    /// If the task is cancelled, the processes of the command get SIGTERM.
    ///
    /// - Parameters:
    ///   - command: The command.
    ///   - input: The standard input. The command may end without reading it.
    ///   - environment: The environment.
    /// - Returns: The status.
    /// - Throws: ``CommandFailure`` if `/bin/sh` cannot be started.
    static func run(_ command: String, input: [UInt8], environment: [String: String]) async throws -> Int32 {
        // Nil after the end of the process.
        let process = Mutex<pid_t?>(try start(command, input, environment))
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard let id = process.withLock({ $0 }) else { return continuation.resume(returning: 0) }
                Thread.detachNewThread {
                    // The process stays a zombie, so that its number is not used again before it is forgotten.
                    var information = siginfo_t()
                    while waitid(P_PID, id_t(id), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
                    process.withLock { $0 = nil }
                    var status: Int32 = 0
                    while waitpid(id, &status, 0) < 0, errno == EINTR {}
                    let signal = status & 0x7F
                    continuation.resume(returning: signal == 0 ? (status >> 8) & 0xFF : 128 + signal)
                }
            }
        } onCancel: {
            process.withLock { id in
                if let id { kill(-id, SIGTERM) }
            }
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
