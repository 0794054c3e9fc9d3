/// The position of a value inside a JSON value (RFC 6901).
public struct JSONPointer: WireName {
    /// The names and indices of the path, unescaped.
    ///
    /// The whole value has no tokens.
    public var tokens: [String]

    /// Creates a pointer from unescaped tokens.
    public init(tokens: [String]) {
        self.tokens = tokens
    }

    /// Parses a pointer; returns nil for text that does not begin with `/` or has a `~` without `0` or `1` after it.
    ///
    /// The empty text is the pointer to the whole value.
    public init?(_ text: String) {
        guard !text.isEmpty else {
            self.tokens = []
            return
        }
        guard text.utf8.first == UInt8(ascii: "/") else { return nil }
        var tokens: [String] = []
        for part in text.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            guard let token = Self.unescape(part) else { return nil }
            tokens.append(token)
        }
        self.tokens = tokens
    }

    /// The form of a pointer, in words.
    public static let rule = "a JSON Pointer"

    /// The pointer's text as in RFC 6901.
    public var text: String { tokens.map(ValueMismatch.step).joined() }

    /// Returns whether another pointer is this one or points into this one's value.
    package func contains(_ other: JSONPointer) -> Bool {
        other.tokens.starts(with: tokens) { $0.isExactly($1) }
    }

    /// Returns the index that a token represents, or nil if it is not digits without a leading zero.
    static func index(_ token: String) -> Int? {
        guard let index = Int(token), "\(index)".isExactly(token), index >= 0 else { return nil }
        return index
    }

    private static func unescape(_ part: Substring.UTF8View.SubSequence) -> String? {
        guard part.contains(UInt8(ascii: "~")) else { return String(Substring(part)) }
        var bytes: [UInt8] = []
        var rest = part
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "~") else {
                bytes.append(byte)
                continue
            }
            switch rest.popFirst() {
            case UInt8(ascii: "0"): bytes.append(UInt8(ascii: "~"))
            case UInt8(ascii: "1"): bytes.append(UInt8(ascii: "/"))
            default: return nil
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension JSONPointer {
    /// Returns whether two pointers have the same tokens, by their code points.
    public static func == (left: JSONPointer, right: JSONPointer) -> Bool {
        left.tokens.map(ExactString.init) == right.tokens.map(ExactString.init)
    }

    /// Hashes the tokens.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(tokens.map(ExactString.init))
    }
}

extension JSONValue {
    /// Returns the value at a position, or nil if the position does not exist.
    public subscript(pointer: JSONPointer) -> JSONValue? {
        var value = self
        for token in pointer.tokens {
            switch value {
            case .object(let members):
                guard let member = members[token] else { return nil }
                value = member
            case .array(let items):
                guard let index = JSONPointer.index(token), items.indices.contains(index) else { return nil }
                value = items[index]
            default: return nil
            }
        }
        return value
    }
}
