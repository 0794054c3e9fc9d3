import Foundation
import Glibc
import Synchronization
import UnixIO

/// A process that a verb has started, and its process group.
///
/// It inherits the three standard descriptors and no other, so that what it leaves behind holds no connection to the
/// daemon. Foundation's `Process` would hand down that SIGPIPE is ignored, which a shell cannot undo, and it would change
/// bytes of the environment that are not UTF-8.
package final class ChildProcess: Sendable {
    private let id: pid_t
    /// The exit status, once the process has ended, and the calls that wait for it.
    private let state = Mutex<(status: Int32?, waiting: [CheckedContinuation<Int32, Never>])>((nil, []))

    /// Starts a process.
    ///
    /// In `environment` a variable without a value is left out. `descriptors` are the standard input, output and error;
    /// nil is the null device. `stopped` is called once if a process of the group stops, because it uses the terminal.
    package init(
        _ executable: String,
        _ arguments: [String],
        environment: [String: String?] = [:],
        descriptors: [Int32?],
        stopped: (@Sendable (ChildProcess) -> Void)? = nil
    ) throws(CommandFailure) {
        let null = open("/dev/null", O_RDWR | O_CLOEXEC)
        guard null >= 0 else {
            throw CommandFailure(.failed, "/dev/null cannot be opened: \(SystemError.last)")
        }
        defer { close(null) }
        id = try Self.spawn([executable] + arguments, Self.environment(environment), descriptors.map { $0 ?? null })
        Thread.detachNewThread { [self] in wait(stopped) }
    }

    /// Returns the variables of this process with changes, each as `NAME=value` with its final zero.
    private static func environment(_ changes: [String: String?]) -> [[CChar]] {
        let kept = ProcessText.environment.filter { entry in
            let bytes = entry.prefix { $0 != CChar(UInt8(ascii: "=")) && $0 != 0 }
            return !changes.keys.contains(String(systemBytes: bytes.map(UInt8.init(bitPattern:))))
        }
        return kept + changes.compactMap { name, value in value.map { "\(name)=\($0)".cPath } }
    }

    private static func spawn(
        _ arguments: [String],
        _ environment: [[CChar]],
        _ descriptors: [Int32]
    ) throws(CommandFailure) -> pid_t {
        var (actions, attributes) = (posix_spawn_file_actions_t(), posix_spawnattr_t())
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        for (number, descriptor) in descriptors.enumerated() {
            posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(number))
        }
        var (usual, blocked) = (sigset_t(), sigset_t())
        sigemptyset(&usual)
        sigemptyset(&blocked)
        for signal in [SIGPIPE, SIGINT, SIGTERM] { sigaddset(&usual, signal) }
        posix_spawnattr_setsigdefault(&attributes, &usual)
        // The threads of Swift's tasks block all signals, and a process inherits the mask of the starting thread.
        posix_spawnattr_setsigmask(&attributes, &blocked)
        // A process group of its own can be ended as a whole.
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(
            &attributes,
            Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP)
        )
        var words = arguments.map { strdup($0.cPath) } + [nil]
        var variables = environment.map { strdup($0) } + [nil]
        defer { for text in words + variables { free(text) } }
        CloseOnExec.setAll()
        var id: pid_t = 0
        let code = posix_spawn(&id, arguments[0].cPath, &actions, &attributes, &words, &variables)
        guard code == 0 else {
            throw CommandFailure(.noConnection, "\(arguments[0]) cannot be started: \(SystemError(code: code))")
        }
        return id
    }

    /// Waits for the end on a thread of its own.
    private func wait(_ stopped: (@Sendable (ChildProcess) -> Void)?) {
        var information = siginfo_t()
        var hasStopped = false
        let states = WEXITED | WNOWAIT | (stopped == nil ? 0 : WSTOPPED)
        while true {
            // The process stays a zombie, so that its number is not used again before it is marked as ended.
            if waitid(P_PID, id_t(id), &information, states) != 0 {
                guard errno == EINTR else { break }
                continue
            }
            guard information.si_code == CInt(CLD_STOPPED) else { break }
            // Takes the report of the stop, which would come again. An end stays.
            _ = waitid(P_PID, id_t(id), &information, WSTOPPED | WNOHANG)
            if !hasStopped { stopped?(self) }
            hasStopped = true
        }
        let (status, waiting) = state.withLock { state in
            var word: Int32 = 0
            while waitpid(id, &word, 0) < 0, errno == EINTR {}
            let signal = word & 0x7F
            let status = signal == 0 ? (word >> 8) & 0xFF : 128 + signal
            state.status = status
            return (status, state.waiting)
        }
        for continuation in waiting { continuation.resume(returning: status) }
    }

    /// Whether the process has not ended.
    package var isRunning: Bool { state.withLock { $0.status == nil } }

    /// The exit status of a process that has ended, or 128 and the signal that ended it.
    package var status: Int32 { state.withLock { $0.status ?? 0 } }

    /// Waits for the end of the process and returns its status.
    ///
    /// The process is ended if the task is cancelled.
    /// `patience` is the time between SIGTERM and SIGKILL.
    package func end(patience: Duration = .seconds(10)) async -> Int32 {
        await withTaskCancellationHandler {
            await wait()
        } onCancel: {
            terminate(patience: patience)
        }
    }

    /// Ends the process, and returns its status once it has ended.
    @discardableResult
    package func stop() async -> Int32 {
        terminate(patience: .seconds(10))
        return await wait()
    }

    private func wait() async -> Int32 {
        await withCheckedContinuation { continuation in
            let status = state.withLock { state in
                if state.status == nil { state.waiting.append(continuation) }
                return state.status
            }
            if let status { continuation.resume(returning: status) }
        }
    }

    /// Sends SIGTERM to the process group, and SIGKILL if the process has not ended after the patience.
    func terminate(patience: Duration) {
        send(SIGTERM)
        // A stopped process gets SIGTERM when it continues.
        send(SIGCONT)
        Thread.detachNewThread { [self] in
            Thread.sleep(forTimeInterval: patience / .seconds(1))
            send(SIGKILL)
        }
    }

    private func send(_ signal: Int32) {
        state.withLock { state in
            if state.status == nil { kill(-id, signal) }
        }
    }
}
