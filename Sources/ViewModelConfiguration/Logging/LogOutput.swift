/// Where records of the log go, and in which form.
protocol LogOutput: Sendable {
    /// Writes a record; may block.
    func write(_ record: LogRecord)
}

/// One line a record, on the standard error or, in a test, elsewhere.
struct LineOutput: LogOutput {
    private let line: @Sendable (LogRecord) -> [UInt8]
    private let put: @Sendable ([UInt8]) -> Void

    /// - Parameters:
    ///   - line: gives a record's line with its end.
    ///   - put: writes it.
    init(
        _ line: @escaping @Sendable (LogRecord) -> [UInt8],
        to put: @escaping @Sendable ([UInt8]) -> Void = StandardError.write
    ) {
        self.line = line
        self.put = put
    }

    func write(_ record: LogRecord) {
        put(line(record))
    }
}

extension LogFormat {
    /// The output that this format means for the process's standard error.
    func output(_ stream: JournalStream?) -> any LogOutput {
        switch (self, stream) {
        case (.json, _): LineOutput { $0.jsonLine }
        case (.text, _), (.auto, nil): LineOutput { $0.textLine }
        case (.auto, .journald): JournalOutput()
        case (.auto, .other): LineOutput { $0.priorityLine }
        }
    }
}
