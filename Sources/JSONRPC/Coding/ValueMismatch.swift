/// A value that does not fit its type: the data of error -32602 (protocol, section 2).
package struct ValueMismatch: Error, Sendable, Equatable {
    /// The position of the value, as a JSON Pointer (RFC 6901).
    package var path: String
    /// A description of the expected value.
    package var expected: String
    /// The JSON text of the value, cut after 40 characters, or `nothing` for a missing member.
    package var found: String
    /// The member that the object must not have, if that is the fault or a likely reason for it.
    ///
    /// A member is often missing because its name was misspelt. The mismatch of a missing member therefore has the
    /// first member whose name the type cannot decode.
    package var unknown: UnknownMember?
    /// The error text of the type's own code, for a log.
    ///
    /// The text may contain internal details and is never sent to a client.
    package var cause: String?

    /// Creates a mismatch.
    ///
    /// A type's `init(from:)` throws a mismatch whose path begins at the type's value.
    package init(path: String = "", expected: String, found: String, cause: String? = nil) {
        self.path = path
        self.expected = expected
        self.found = found
        self.cause = cause
    }

    /// Creates the mismatch of a member that its object must not have.
    package init(unknown: UnknownMember) {
        self.init(path: unknown.path, expected: UnknownMember.expected(unknown.known), found: unknown.found)
        self.unknown = unknown
    }
}

/// A member that the type of its object does not have.
package struct UnknownMember: Sendable, Equatable {
    package var name: String
    /// The position of the member's object, as a JSON Pointer.
    package var object: String
    /// The JSON text of the member's value, as in ``ValueMismatch/found``.
    package var found: String
    /// The names that the type has decoded or requested until then.
    package var known: [String]

    /// The position of the member, as a JSON Pointer.
    package var path: String { object + ValueMismatch.step(name) }

    /// Describes the permitted members of an object.
    package static func expected(_ names: [String]) -> String {
        switch names.count {
        case 0: "no such member"
        case 1: "no such member; only \(names[0])"
        default: "no such member; one of \(names.joined(separator: ", "))"
        }
    }

    package init(name: String, object: String, found: String, known: [String]) {
        self.name = name
        self.object = object
        self.found = found
        self.known = known
    }
}

extension ValueMismatch {
    /// The description of a missing member.
    package static let nothing = "nothing"

    /// Describes how many units a value may have, such as ` of 2 to 3 characters`; empty without a bound.
    package static func count(of unit: String, from minimum: String?, to maximum: String?) -> String {
        func units(_ number: String) -> String { "\(number) \(unit)\(number == "1" ? "" : "s")" }
        return switch (minimum, maximum) {
        case (let minimum?, let maximum?) where minimum == maximum: " of \(units(minimum))"
        case (let minimum?, let maximum?): " of \(minimum) to \(units(maximum))"
        case (let minimum?, nil): " of at least \(units(minimum))"
        case (nil, let maximum?): " of at most \(units(maximum))"
        case (nil, nil): ""
        }
    }

    /// Returns one escaped step of a JSON Pointer.
    package static func step(_ name: String) -> String {
        guard name.utf8.contains(where: { $0 == 0x7E || $0 == 0x2F }) else { return "/" + name }
        return name.unicodeScalars.reduce(into: "/") { path, scalar in
            switch scalar {
            case "~": path += "~0"
            case "/": path += "~1"
            default: path.unicodeScalars.append(scalar)
            }
        }
    }

    /// Describes a value by its JSON text without white space, cut after 40 characters.
    ///
    /// A string has its quotes, so that it differs from a number.
    package static func describe(_ value: Bytes) -> String {
        var text = JSONScanner(value)
        var writer = JSONWriter()
        // Enough for 40 characters of several code points each.
        let limit = 512
        while writer.bytes.count < limit {
            text.skipWhiteSpace()
            guard text.position < text.end else { break }
            if text.current == ASCII.quote {
                let start = text.position &+ 1
                let hasEscapes = text.skipString()
                let contents = value.part(start..<max(start, text.position &- 1))
                writer.string(JSONText.string(contents, hasEscapes: hasEscapes))
            } else {
                writer.byte(text.current)
                text.position &+= 1
            }
        }
        return cut(String(decoding: writer.bytes, as: UTF8.self))
    }

    /// Describes a decoded value in the same way.
    package static func describe(_ value: JSONValue) -> String {
        var count = 64
        return beginning(of: value, &count).text.withUnsafeBytes { describe($0) }
    }

    /// Returns a value whose text begins like that of `value`, with at most `count` parts.
    ///
    /// A union is checked against each of its alternatives, so a large value may be described often.
    private static func beginning(of value: JSONValue, _ count: inout Int) -> JSONValue {
        switch value {
        case .string(let text) where text.utf8.count > 512: return .string(String(text.prefix(128)))
        case .array(let elements):
            var first: [JSONValue] = []
            for element in elements {
                if count == 0 { break }
                count -= 1
                first.append(beginning(of: element, &count))
            }
            return .array(first)
        case .object(let members):
            var first = JSONObject()
            for (key, member) in members {
                if count == 0 { break }
                count -= 1
                first[key] = beginning(of: member, &count)
            }
            return .object(first)
        default: return value
        }
    }

    package static func describe(encoded value: some Encodable) -> String {
        var writer = JSONWriter()
        guard (try? writer.encode(value)) != nil else { return "a value" }
        return writer.bytes.withUnsafeBytes { describe($0) }
    }

    private static func cut(_ text: String) -> String {
        let limit = 40
        guard let end = text.index(text.startIndex, offsetBy: limit, limitedBy: text.endIndex),
            end < text.endIndex
        else { return text }
        return text[..<end] + "…"
    }
}
