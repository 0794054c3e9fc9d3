/// Where records of the log go, and in which form.
protocol LogOutput: Sendable {
    /// Writes a record; may block.
    func write(_ record: LogRecord)

    /// Writes a record if that takes no waiting.
    ///
    /// - Returns: false when it is still to be written.
    func writeAtOnce(_ record: LogRecord) -> Bool
}

/// One line a record, on the standard error or, in a test, elsewhere.
struct LineOutput: LogOutput {
    private let line: @Sendable (LogRecord) -> [UInt8]
    private let put: @Sendable ([UInt8]) -> Void
    private let putAtOnce: @Sendable ([UInt8]) -> Bool

    /// - Parameters:
    ///   - line: gives a record's line with its end.
    ///   - put: writes it.
    ///   - putAtOnce: writes it if that takes no waiting, and says whether it has.
    init(
        _ line: @escaping @Sendable (LogRecord) -> [UInt8],
        to put: @escaping @Sendable ([UInt8]) -> Void = StandardError.write,
        atOnce putAtOnce: @escaping @Sendable ([UInt8]) -> Bool = StandardError.writeAtOnce
    ) {
        self.line = line
        self.put = put
        self.putAtOnce = putAtOnce
    }

    func write(_ record: LogRecord) {
        put(line(record))
    }

    func writeAtOnce(_ record: LogRecord) -> Bool {
        putAtOnce(line(record))
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
