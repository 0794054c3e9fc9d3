import JSONRPC
import ViewModelClient

/// Texts of errors for people, with the thing, the problem and the remedy.
enum ErrorText {
    static func text(_ error: ClientError) -> String {
        guard let reply = error.reply else { return join(error.message, error.remedy) }
        // The text may come from a backend. It must not control the terminal.
        return PlainText.of(join("\(message(reply)) (\(reply.code.rawValue))", remedy(reply)))
    }

    static func join(_ message: String, _ remedy: String?) -> String {
        guard let remedy else { return message }
        return "\(message). \(remedy)"
    }

    /// Returns a question with the known names that resemble a wrong one, or nil without such names.
    static func question(_ name: String, among known: some Sequence<String>) -> String? {
        question(Suggestions.close(to: name, among: known))
    }

    private static func question(_ close: [String]) -> String? {
        close.isEmpty ? nil : "Did you mean \(close.joined(separator: " or "))?"
    }

    private static func message(_ error: ProtocolError) -> String {
        let data = error.data?.objectValue ?? [:]
        func fact(_ name: String) -> String? {
            data[name].flatMap { $0.isNull ? nil : ValueText.inline($0) }
        }
        let detail: String?
        switch error.code {
        case .methodNotFound:
            let method = [fact("instance"), fact("member")].compactMap(\.self).joined(separator: ".")
            detail = method.isEmpty ? nil : method
        case .invalidParams:
            guard let expected = fact("expected") else { return error.message }
            let position = fact("path").flatMap { $0.isEmpty ? nil : " at \($0)" } ?? ""
            return "\(error.message)\(position): expected \(expected), found \(fact("found") ?? "nothing")"
        case .notFound: detail = fact("session") ?? fact("instance") ?? fact("type")
        case .actionFailed:
            // The message is often a doc comment, which ends with a period.
            let text = error.message.hasSuffix(".") ? String(error.message.dropLast()) : error.message
            let details = fact("details").map { ": \($0)" } ?? ""
            return fact("error").map { "\(text): \($0)\(details)" } ?? text
        case .disabled, .executing: detail = fact("action")
        case .limitExceeded: detail = fact("limit").map { "\($0) is \(fact("value") ?? "unknown")" }
        case .sessionInUse: detail = fact("node")
        case .deadlinePassed: detail = fact("deadline").map { "\($0) ms" }
        default: detail = fact("reason") ?? fact("limit")
        }
        return detail.map { "\(error.message): \($0)" } ?? error.message
    }

    /// Returns the advice after an error of the daemon.
    static func remedy(_ error: ProtocolError) -> String? {
        let data = error.data?.objectValue ?? [:]
        if let hint = data["hint"]?.stringValue { return hint }
        let close = data["suggestions"]?.arrayValue?.compactMap(\.stringValue) ?? []
        if let question = question(close) { return question }
        switch error.code {
        case .notFound where data["session"] != nil: return "viewmodelctl sessions lists those that are alive"
        case .methodNotFound, .notFound: return "viewmodelctl types and describe list the names"
        case .invalidParams where data["expected"] == .string(UnknownMember.expected(["value"])):
            return "viewmodelctl call sends a text that contains = with --text"
        case .disabled, .executing:
            return data["action"]?.stringValue.map {
                "Its outputs \($0).enabled and \($0).executing show when it can run"
            }
        case .actionFailed where data["retryable"] == .bool(true): return "It may be tried again"
        case .internalError:
            return data["incident"].map { "The daemon's log has more under \(ValueText.inline($0))" }
        case .sessionInUse: return "session.attach with \"move\":true brings it here, and its clients there lose it"
        case .sessionEnded: return "The call had no effect; session.attach gives the connection a session again"
        case .shuttingDown: return "Try again after its restart"
        default: return nil
        }
    }
}
