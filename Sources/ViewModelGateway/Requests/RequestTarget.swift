import Foundation

/// The path and the query of a request (RFC 9112, section 3.2.1).
struct RequestTarget: Sendable {
    /// The path as it was sent; no path of the gateway has escapes.
    let path: String
    /// The query as it was sent, with its question mark.
    let queryText: String
    /// The members of the query in their order, without their escapes.
    let query: [(name: String, value: String)]
    /// Whether an escape of the query is malformed.
    let hasMalformedQuery: Bool

    init(_ uri: String) {
        let parts = uri.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        path = String(parts[0])
        queryText = parts.count > 1 ? "?" + parts[1] : ""
        let members = parts.count > 1 ? parts[1].split(separator: "&") : []
        let decoded = members.map { member in
            let pair = member.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (Self.decoded(pair[0]), Self.decoded(pair.count > 1 ? pair[1] : ""))
        }
        query = decoded.map { (name: $0.0 ?? "", value: $0.1 ?? "") }
        hasMalformedQuery = decoded.contains { $0.0 == nil || $0.1 == nil }
    }

    /// The value of the first member with a name.
    subscript(name: String) -> String? { query.first { $0.name == name }?.value }

    /// Returns a text without its escapes, or nil if an escape is malformed or the text is not UTF-8.
    private static func decoded(_ text: Substring) -> String? {
        text.replacing("+", with: " ").removingPercentEncoding
    }
}
