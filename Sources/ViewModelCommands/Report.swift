import ArgumentParser
import ViewModelClient

/// What is said of an error: a text that names the thing and the remedy, and a status to end with.
struct Report {
    let status: ExitStatus
    let text: String
    /// Whether the text is what was asked for, as that of `--help` is.
    let isResult: Bool

    init(_ error: any Error) {
        switch error {
        case let error as ClientError:
            self.init(ExitStatus(error), ErrorText.text(error))
        case let error as CommandFailure:
            self.init(error.status, ErrorText.join(error.message, error.remedy))
        case let error as ScriptFailure:
            let cause = Report(error.cause)
            self.init(cause.status, cause.text.isEmpty ? "" : "line \(error.line): \(cause.text)")
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

    /// Writes the text to where it belongs and returns the status.
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
