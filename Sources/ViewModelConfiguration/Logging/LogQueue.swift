import Dispatch
import Logging
import Synchronization

/// What was logged and is not written yet: bounded, and written by one thread, which exists only while there is work.
///
/// A record before which there is no other is written by who logs it, so that the log has it when a reply refers to it,
/// unless that would take waiting: whoever logs never waits. When nobody takes what is written and the queue is full,
/// records are dropped and counted, and a record of its own says how many as soon as half of the queue has been written.
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
        let before: Int? = state.withLock { state in
            guard state.waiting < capacity else {
                state.dropped += 1
                return nil
            }
            defer { state.waiting += 1 }
            return state.waiting
        }
        guard let before else { return }
        if before == 0, output.withLock({ $0 }).writeAtOnce(record) {
            return finish()
        }
        thread.async {
            self.output.withLock { $0 }.write(record)
            self.finish()
        }
    }

    /// Writes what is added from now on elsewhere, or otherwise.
    func setOutput(_ output: any LogOutput) {
        state.withLock { $0.waiting += 1 }
        thread.async {
            self.output.withLock { $0 = output }
            self.finish()
        }
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

    /// Counts a record out that was written.
    private func finish() {
        let dropped = state.withLock { state in
            state.waiting -= 1
            guard state.waiting <= capacity / 2 else { return 0 }
            defer { state.dropped = 0 }
            return state.dropped
        }
        guard dropped > 0 else { return }
        let record = LogRecord(
            level: .warning,
            message: "Records were dropped, as nobody took the log",
            metadata: ["count": "\(dropped)"]
        )
        thread.async { self.output.withLock { $0 }.write(record) }
    }
}
