import ArgumentParser
import ViewModelClient
import ViewModelTranscript

/// The report of an error: a text with the problem and the remedy, and the exit status.
struct ErrorReport {
    let status: ExitStatus
    let text: String
    /// Whether the text is the requested result, like that of `--help`.
    let isResult: Bool

    init(_ error: any Error) {
        switch error {
        case let error as ClientError:
            self.init(ExitStatus(error), ErrorText.text(error))
        case let error as CommandFailure:
            self.init(error.status, ErrorText.join(error.message, error.remedy))
        case let error as ScriptFailure:
            let cause = ErrorReport(error.cause)
            self.init(cause.status, cause.text.isEmpty ? "" : "line \(error.line): \(cause.text)")
        case let error as TranscriptFileError:
            self.init(.usage, "\(error)")
        case is CancellationError:
            self.init(.interrupted, "")
        case is ClosedPipe:
            self.init(.done, "")
        default:
            let code = ViewModelCtl.exitCode(for: error)
            let status = ExitStatus(rawValue: code.rawValue)
            self.init(status, ViewModelCtl.fullMessage(for: error), isResult: code == .success)
        }
    }

    private init(_ status: ExitStatus, _ text: String, isResult: Bool = false) {
        self.status = status
        self.text = text
        self.isResult = isResult
    }

    /// Writes a result to the standard output, or an error to the standard error, and returns the status.
    func write() -> ExitStatus {
        guard !text.isEmpty else { return status }
        if isResult {
            try? Descriptor.output.write(line: text)
        } else {
            try? Descriptor.error.write(line: text.hasPrefix("Error: ") ? text : "viewmodelctl: \(text)")
        }
        return status
    }
}

/// A failure of a verb, with the problem, the remedy and the exit status.
struct CommandFailure: Error, Equatable {
    var status: ExitStatus
    var message: String
    var remedy: String?

    /// Creates a failure for an invalid or contradictory command line.
    static func usage(_ message: String, remedy: String? = nil) -> Self {
        Self(status: .usage, message: message, remedy: remedy)
    }

    /// Creates a failure for a thing that does not exist.
    static func notFound(_ message: String, remedy: String? = nil) -> Self {
        Self(status: .notFound, message: message, remedy: remedy)
    }

    /// Creates a failure for an elapsed time limit.
    static func timedOut(_ message: String) -> Self {
        Self(status: .timedOut, message: message)
    }
}
