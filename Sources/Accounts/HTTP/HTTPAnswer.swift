import FoundationEssentials
import NIOHTTP1

/// A complete HTTP response of a backend.
struct HTTPAnswer: Sendable {
    let status: HTTPResponseStatus
    let headers: HTTPHeaders
    let body: [UInt8]

    var isSuccess: Bool { (200..<300).contains(status.code) }
    var isClientError: Bool { (400..<500).contains(status.code) }

    /// Decodes the body as JSON, or returns nil if that fails.
    func decoded<Value: Decodable>(_ type: Value.Type = Value.self) -> Value? {
        try? JSONDecoder().decode(type, from: Data(body))
    }

    /// The error for an answer that cannot be used: a 5xx, a redirect or an invalid body.
    var unusable: AccountError {
        switch status.code {
        case 200..<300: AccountError(.unreachable, "The backend's answer makes no sense")
        case 300..<400: AccountError(.unreachable, "The backend redirects elsewhere (\(status.code))")
        default: AccountError(.unreachable, "The backend failed (\(status.code))", retryAfter: retryAfter)
        }
    }

    /// The delay of `Retry-After`, from 0 to one day, given in seconds or as a date (RFC 9110, section 10.2.3).
    var retryAfter: Duration? {
        guard let text = headers.first(name: "Retry-After") else { return nil }
        if let seconds = Int(text) { return .seconds(min(max(seconds, 0), 86_400)) }
        guard let date = Date(httpDate: text) else { return nil }
        return .seconds(min(max(date.timeIntervalSinceNow, 0), 86_400))
    }
}
