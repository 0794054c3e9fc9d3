import Foundation
import Glibc
import Synchronization
import UnixIO
import ViewModelContract
package import ViewModelProtocol

/// The writer of a transcript.
///
/// Connections hand over copies of their messages. A thread of the recorder replaces the secrets and writes the file, so
/// that no connection waits for the disk. If a write fails, or more than 64 MiB wait for the thread, the recording ends and
/// the daemon goes on.
///
/// Thread-safe.
package final class TranscriptRecorder: Sendable {
    /// The file that is written.
    package let path: String

    /// Makes the event of an item; the secrets of a message are still to be replaced.
    private typealias Content = @Sendable (Redactor) -> Transcript.Event

    private struct Item {
        let time: Duration
        let connection: Int
        let content: Content
    }

    private struct State {
        var queue: [Item] = []
        var bytes = 0
        var connections = 0
        /// Whether the thread is in a write to the file.
        var isWriting = false
        var phase = Phase.created
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private enum Phase {
        case created, running, finishing, ended
    }

    private let file: OutputFile
    private let descriptor: Int32
    private let program: String
    private let maximumBytes: Int
    private let begun = ContinuousClock.now
    private let state = Mutex(State())
    private let wakeup = DispatchSemaphore(value: 0)
    private let failed: @Sendable (String) -> Void

    /// Creates the file of a recording, with mode 0600, or opens a device or a FIFO.
    ///
    /// `failed` is called once with the reason if the recording ends early. It must not block.
    ///
    /// - Throws: ``TranscriptFileError`` if the file exists or cannot be created.
    package init(
        file path: String,
        program: String,
        maximumBytes: Int = 64 << 20,
        failed: @escaping @Sendable (String) -> Void
    ) throws(TranscriptFileError) {
        do {
            file = try OutputFile(path)
        } catch {
            throw TranscriptFileError(path: path, problem: "cannot be written: \(error.reason)")
        }
        do {
            descriptor = try file.create()
        } catch {
            let problem =
                error.code == EEXIST
                ? "exists already; remove it, or record to another file"
                : "cannot be created: \(error); record to another directory"
            throw TranscriptFileError(path: path, problem: problem)
        }
        self.path = path
        self.program = program
        self.maximumBytes = maximumBytes
        self.failed = failed
    }

    deinit {
        guard state.withLock({ $0.phase == .created }) else { return }
        // The daemon could not start.
        Glibc.close(descriptor)
        file.remove()
    }

    /// Returns the path of a new file in a directory, named after the program, the date and the process.
    package static func newFile(in directory: String, program: String) -> String {
        let date = Date.now.formatted(.iso8601.dateSeparator(.omitted).timeSeparator(.omitted))
        return "\(directory)/\(program)-\(date)-\(getpid()).transcript"
    }

    /// Starts the thread that writes; it calls `contract` once for the document of `rpc.discover`.
    package func start(contract: @escaping @Sendable () -> [UInt8]) {
        state.withLock { $0.phase = .running }
        let thread = Thread { [self] in write(contract()) }
        thread.name = "recorder"
        thread.start()
    }

    /// Records a new connection.
    package func open() -> ConnectionObserver {
        let number = state.withLock { state in
            state.connections += 1
            return state.connections
        }
        add(of: number) { _ in .opened }
        return { [self] event in
            switch event {
            case .received(let message): add(Array(message), isFromClient: true, of: number)
            case .unreadable(let reason): add(of: number) { _ in .unreadable(reason) }
            case .sent(let message): add(message, isFromClient: false, of: number)
            case .closed: add(of: number) { _ in .closed }
            }
        }
    }

    private func add(_ message: [UInt8], isFromClient: Bool, of connection: Int) {
        add(bytes: message.count, of: connection) { $0.redact(message, isFromClient: isFromClient, on: connection) }
    }

    /// Writes what was recorded so far and closes the file.
    package func finish() async {
        await withCheckedContinuation { continuation in
            let isEnded = state.withLock { state in
                if state.phase == .ended || state.phase == .created { return true }
                state.phase = .finishing
                state.waiting.append(continuation)
                return false
            }
            if isEnded { continuation.resume() } else { wakeup.signal() }
        }
    }

    private func add(bytes: Int = 0, of connection: Int, _ content: @escaping Content) {
        let (excess, isFirst) = state.withLock { state -> (String?, Bool) in
            guard state.phase != .ended else { return (nil, false) }
            // An empty message takes memory for its item.
            state.bytes += bytes + 64
            guard state.bytes <= maximumBytes else {
                state.phase = .ended
                state.queue = []
                let culprit = state.isWriting ? "the disk does" : "the replacement of secrets does"
                return ("\(culprit) not keep up: \(maximumBytes) bytes wait for it", true)
            }
            state.queue.append(
                Item(time: ContinuousClock.now - begun, connection: connection, content: content)
            )
            return (nil, state.queue.count == 1)
        }
        if let excess { failed(excess) }
        if isFirst { wakeup.signal() }
    }

    // MARK: The thread

    private func write(_ document: [UInt8]) {
        let contract = Contract(ofDaemon: JSONValue(text: document) ?? .null)
        let header = Transcript.Header(
            program: program,
            contract: contract.hash,
            date: Date.now.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        )
        let redactor = Redactor(contract: contract)
        var isOver = !write(header.text)
        while !isOver {
            wakeup.wait()
            let (items, phase) = state.withLock { state in
                defer {
                    state.queue = []
                    if state.phase != .ended { state.bytes = 0 }
                }
                return (state.queue, state.phase)
            }
            // Text is written in pieces, so that long messages do not add up.
            var text = ""
            for item in items where !isOver {
                text += line(of: item, redactor)
                guard text.utf8.count >= 1 << 20 else { continue }
                isOver = !write(text)
                text = ""
            }
            if !isOver, !text.isEmpty { isOver = !write(text) }
            if phase == .finishing || phase == .ended { isOver = true }
        }
        Glibc.close(descriptor)
        let waiting = state.withLock { state in
            state.phase = .ended
            state.queue = []
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    private func line(of item: Item, _ redactor: Redactor) -> String {
        let event = item.content(redactor)
        if event == .closed { redactor.close(item.connection) }
        return Transcript.Entry.text(time: item.time, connection: item.connection, event: event)
    }

    /// Writes text to the file; returns whether it was written, after the report of a failure.
    private func write(_ text: String) -> Bool {
        state.withLock { $0.isWriting = true }
        defer { state.withLock { $0.isWriting = false } }
        do {
            try Descriptor(number: descriptor).write(Array(text.utf8))
            return true
        } catch {
            let reason = (error as? OutputError).map { "\($0.cause)" } ?? "\(error)"
            let isFirst = state.withLock { state in
                defer { state.phase = .ended }
                return state.phase != .ended
            }
            if isFirst { failed(reason) }
            return false
        }
    }
}

/// A file that a transcript cannot be written to.
package struct TranscriptFileError: Error, CustomStringConvertible, Sendable {
    package let path: String
    let problem: String

    package var description: String { "\(path) \(problem)" }
}
