import Dispatch
import Logging
import Synchronization

/// Writes a record, and returns whether it is written.
///
/// If the write may not block and would, the record is not written.
typealias LogOutput = @Sendable (_ record: LogRecord, _ mayBlock: Bool) -> Bool

/// A bounded queue of records that are not written yet.
///
/// One thread writes them and exists only while there is work.
///
/// Logging never blocks the caller. If the queue is empty and the write does not block, the caller writes the record
/// itself, so the log contains the record before a reply refers to it. While the output blocks and the queue is full,
/// records are dropped and counted. A record with their number follows as soon as half of the queue is free.
final class LogQueue: Sendable {
    /// The maximum number of queued records.
    let capacity: Int
    private let state = Mutex((waiting: 0, dropped: 0))
    private let output: Mutex<LogOutput>
    private let thread = DispatchQueue(label: "viewmodeld.log")
    /// The index of the level among all levels.
    private let levelIndex: Atomic<Int>

    init(_ output: @escaping LogOutput, level: Logger.Level, capacity: Int = 1024) {
        self.output = Mutex(output)
        self.capacity = capacity
        levelIndex = Atomic(Self.index(of: level))
    }

    /// The least severe level that is logged, changeable while loggers are in use.
    ///
    /// A read of the level is one relaxed load.
    var level: Logger.Level {
        get { Self.levels[levelIndex.load(ordering: .relaxed)] }
        set { levelIndex.store(Self.index(of: newValue), ordering: .relaxed) }
    }

    private static let levels = Logger.Level.allCases

    private static func index(of level: Logger.Level) -> Int { levels.firstIndex(of: level) ?? 0 }

    /// Adds a record, or drops it if the queue is full.
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
        if before == 0, output.withLock({ $0 })(record, false) { return finish() }
        thread.async {
            self.write(record)
            self.finish()
        }
    }

    /// Changes the output for the records that are added from now on.
    func setOutput(_ output: @escaping LogOutput) {
        state.withLock { $0.waiting += 1 }
        thread.async {
            self.output.withLock { $0 = output }
            self.finish()
        }
    }

    /// Waits until the records added before are written; returns false if the time limit passed first.
    @discardableResult
    func flush(atMost limit: DispatchTimeInterval) -> Bool {
        let written = DispatchSemaphore(value: 0)
        thread.async { written.signal() }
        return written.wait(timeout: .now() + limit) == .success
    }

    /// Removes a written record from the count, and logs the number of dropped ones once half of the queue is free.
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
            message: "Log records were dropped because the output was blocked",
            metadata: ["count": "\(dropped)"]
        )
        thread.async { self.write(record) }
    }

    private func write(_ record: LogRecord) {
        _ = output.withLock { $0 }(record, true)
    }
}
