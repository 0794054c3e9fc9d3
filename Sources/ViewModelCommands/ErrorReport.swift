import ArgumentParser
import UnixIO
import ViewModelClient

/// The report of an error: the problem, the remedy and the exit status.
struct ErrorReport {
    let status: ExitStatus
    /// The text for people.
    private(set) var text: String
    /// Whether the text is the requested result, like that of `--help`.
    let isResult: Bool
    private(set) var json: JSONObject

    init(_ error: any Error) {
        switch error {
        case let error as ClientError:
            self.init(
                ExitStatus(error),
                ErrorText.text(error),
                message: error.reply?.message ?? error.message,
                remedy: error.reply.map(ErrorText.remedy) ?? error.remedy,
                reply: error.reply
            )
        case let error as CommandFailure:
            let text = ErrorText.join(error.message, error.remedy)
            self.init(error.status, text, message: error.message, remedy: error.remedy)
        case let error as ScriptFailure:
            self = ErrorReport(error.cause)
            if !text.isEmpty { text = "line \(error.line): \(text)" }
            json["line"] = .integer(error.line)
        case is OutputError, is OutputFileError:
            self.init(.failed, "\(error)", message: "\(error)")
        case is CancellationError:
            self.init(.interrupted, "", message: "")
        case is ClosedPipe:
            self.init(.done, "", message: "")
        default:
            let code = ViewModelCtl.exitCode(for: error)
            self.init(
                ExitStatus(rawValue: code.rawValue) ?? .failed,
                Self.withoutFarSuggestion(ViewModelCtl.fullMessage(for: error)),
                message: Self.withoutFarSuggestion(ViewModelCtl.message(for: error)),
                isResult: code == .success
            )
        }
    }

    /// Returns the text of the parser without the suggestion of an option that does not resemble the unknown one.
    private static func withoutFarSuggestion(_ text: String) -> String {
        // "Unknown option '--foo'. Did you mean '--uid'?"
        let parts = text.split(separator: "'", maxSplits: 4, omittingEmptySubsequences: false)
        guard parts.count == 5, parts[0].hasSuffix("Unknown option "), parts[2] == ". Did you mean " else {
            return text
        }
        let names = [parts[1], parts[3]].map { String($0.drop { $0 == "-" }) }
        guard Suggestions.close(to: names[0], among: [names[1]]).isEmpty else { return text }
        return "\(parts[0])'\(parts[1])'\(parts[4].dropFirst())"
    }

    private init(
        _ status: ExitStatus,
        _ text: String,
        message: String,
        remedy: String? = nil,
        reply: ProtocolError? = nil,
        isResult: Bool = false
    ) {
        self.status = status
        self.text = text.shown
        self.isResult = isResult
        json = [
            "status": .integer(Int(status.rawValue)),
            "code": reply.map { .integer($0.code.rawValue) } ?? .null,
            "message": .string(message.shown),
            "data": reply?.data ?? .null,
            "remedy": remedy.map { .string($0.shown) } ?? .null,
        ]
    }

    /// Writes a result to the standard output, or an error to the standard error.
    func write(asJSON: Bool) -> ExitStatus {
        guard !text.isEmpty else { return status }
        if isResult {
            do {
                try Descriptor.output.write(line: text)
                try Descriptor.output.finish()
            } catch {
                return ErrorReport(error).write(asJSON: asJSON)
            }
        } else if asJSON {
            try? Descriptor.error.write(JSONValue.object(json).text + [UInt8(ascii: "\n")])
        } else {
            let safe = text.split(separator: "\n", omittingEmptySubsequences: false).map { PlainText.of(String($0)) }
            let line = safe.joined(separator: "\n")
            try? Descriptor.error.write(line: text.hasPrefix("Error: ") ? line : "viewmodelctl: \(line)")
        }
        return status
    }
}
