/// The path and the query of a request (RFC 9112, section 3.2.1).
struct RequestTarget: Equatable, Sendable {
    /// The path as it was sent; no path of the gateway has escapes.
    let path: String
    /// The members of the query in their order, without their escapes.
    let query: [(name: String, value: String)]
    /// Whether an escape of the query is malformed.
    let hasMalformedQuery: Bool

    init(_ uri: String) {
        let parts = uri.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        path = String(parts[0])
        let members = parts.count > 1 ? parts[1].split(separator: "&") : []
        let decoded = members.map { member in
            let pair = member.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (Self.decoded(pair[0]), Self.decoded(pair.count > 1 ? pair[1] : ""))
        }
        query = decoded.map { (name: $0.0 ?? "", value: $0.1 ?? "") }
        hasMalformedQuery = decoded.contains { $0.0 == nil || $0.1 == nil }
    }

    /// Returns a text without its escapes, or nil if an escape is malformed or the text is not UTF-8.
    private static func decoded(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                let digits = rest.prefix(2)
                guard digits.count == 2, digits.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }),
                    let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
                else { return nil }
                bytes.append(value)
                rest = rest.dropFirst(2)
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    static func == (left: RequestTarget, right: RequestTarget) -> Bool {
        left.path == right.path && left.hasMalformedQuery == right.hasMalformedQuery
            && left.query.elementsEqual(right.query) { $0 == $1 }
    }
}
