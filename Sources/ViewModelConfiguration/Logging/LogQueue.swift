import Dispatch
import Logging
import Synchronization

/// What was logged and is not written yet: bounded, and written by one thread, which exists only while there is work.
///
/// Whoever logs never waits. When nobody takes what is written and the queue is full, records are dropped and counted, and
/// a record of its own says how many as soon as half of the queue has been written.
final class LogQueue: Sendable {
    private struct State {
        var waiting = 0
        var dropped = 0
    }

    /// The most records that wait.
    let capacity: Int
    private let state = Mutex(State())
    private let output: Mutex<any LogOutput>
    private let thread = DispatchQueue(label: "viewmodeld.log")

    init(_ output: any LogOutput, capacity: Int = 1024) {
        self.output = Mutex(output)
        self.capacity = capacity
    }

    /// Adds a record, or drops it where there is no room.
    func add(_ record: LogRecord) {
        let isTaken = state.withLock { state in
            guard state.waiting < capacity else {
                state.dropped += 1
                return false
            }
            state.waiting += 1
            return true
        }
        if isTaken { thread.async { self.write(record) } }
    }

    /// Writes what is added from now on elsewhere, or otherwise.
    func setOutput(_ output: any LogOutput) {
        thread.async { self.output.withLock { $0 = output } }
    }

    /// Waits until everything is written that was added before, but not for ever.
    ///
    /// - Returns: whether it was.
    @discardableResult
    func flush(atMost limit: DispatchTimeInterval) -> Bool {
        let written = DispatchSemaphore(value: 0)
        thread.async { written.signal() }
        return written.wait(timeout: .now() + limit) == .success
    }

    private func write(_ record: LogRecord) {
        let output = output.withLock { $0 }
        output.write(record)
        let dropped = state.withLock { state in
            state.waiting -= 1
            guard state.waiting <= capacity / 2 else { return 0 }
            defer { state.dropped = 0 }
            return state.dropped
        }
        guard dropped > 0 else { return }
        output.write(
            LogRecord(
                level: .warning,
                message: "Records were dropped, as nobody took the log",
                metadata: ["count": "\(dropped)"]
            )
        )
    }
}
