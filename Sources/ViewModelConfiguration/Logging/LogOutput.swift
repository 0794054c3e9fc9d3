/// The destination and format of log records.
protocol LogOutput: Sendable {
    /// Writes a record. May block.
    func write(_ record: LogRecord)

    /// Writes a record if that does not block.
    ///
    /// - Returns: false if the record was not written.
    func writeAtOnce(_ record: LogRecord) -> Bool
}

/// An output of one line a record, on standard error or in a test's own function.
struct LineOutput: LogOutput {
    private let line: @Sendable (LogRecord) -> [UInt8]
    private let put: @Sendable ([UInt8]) -> Void
    private let putAtOnce: @Sendable ([UInt8]) -> Bool

    /// Creates an output.
    ///
    /// - Parameters:
    ///   - line: returns the line of a record, with its line feed.
    ///   - put: writes a line. May block.
    ///   - putAtOnce: writes a line if that does not block, and returns whether it did.
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
    /// Returns the output for this format on the process's standard error, for the daemon of a name.
    func output(_ stream: JournalStream?, of name: String) -> any LogOutput {
        switch (self, stream) {
        case (.json, _): LineOutput { $0.jsonLine }
        case (.text, _), (.auto, nil): LineOutput { $0.textLine }
        case (.auto, .journald): JournalOutput(identifier: name)
        case (.auto, .other): LineOutput { $0.priorityLine }
        }
    }
}
