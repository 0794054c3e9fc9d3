/// Functions that read verified JSON text.
///
/// ``Envelope/init(parsing:)`` and ``validate(_:)`` verify text.
package enum JSONText {
    /// Verifies that the bytes are one JSON value, with the same rules as for a message.
    ///
    /// - Parameter bytes: One JSON value, with optional white space around it.
    /// - Throws: ``JSONSyntaxError`` with the offset of the first fault.
    package static func validate(_ bytes: Bytes) throws(JSONSyntaxError) {
        var scanner = JSONScanner(bytes)
        scanner.skipWhiteSpace()
        try scanner.value(inside: 0)
        try scanner.finish()
    }

    /// Returns the kind of a value.
    ///
    /// White space before it is skipped.
    package static func kind(of value: Bytes) -> JSONKind {
        var text = JSONScanner(value)
        text.skipWhiteSpace()
        return switch text.current {
        case ASCII.openBrace: .object
        case ASCII.openBracket: .array
        case ASCII.quote: .string
        case 0x74, 0x66: .boolean
        case 0x6E: .null
        default: .number
        }
    }

    /// Calls a closure with the name of each member of an object and the position of its value, in order.
    package static func forEachMember(
        of object: Bytes,
        _ body: (_ name: MemberName, _ value: Range<Int>) throws -> Void
    ) rethrows {
        var text = JSONScanner(object)
        guard text.enter() else { return }
        repeat {
            let (range, hasEscapes) = text.name()
            try body(MemberName(text: object.part(range), hasEscapes: hasEscapes), text.skipValue())
        } while text.next()
    }

    /// Calls a closure with the position of each element of an array, in order.
    package static func forEachElement(of array: Bytes, _ body: (Range<Int>) throws -> Void) rethrows {
        var text = JSONScanner(array)
        guard text.enter() else { return }
        repeat {
            try body(text.skipValue())
        } while text.next()
    }

    /// The name of a member, borrowed from the text of its object.
    ///
    /// A comparison makes no string of it.
    package struct MemberName: CustomStringConvertible {
        let text: Bytes
        let hasEscapes: Bool

        /// The name with its escapes resolved.
        package var description: String { string(text, hasEscapes: hasEscapes) }

        /// Returns whether the name has these code points.
        package static func == (name: Self, other: String) -> Bool {
            if name.hasEscapes { return ExactString(name.description) == ExactString(other) }
            let utf8 = other.utf8
            guard utf8.count == name.text.count else { return false }
            var offset = 0
            for byte in utf8 {
                guard byte == name.text[offset] else { return false }
                offset &+= 1
            }
            return true
        }

        /// Returns whether the name does not have these code points.
        package static func != (name: Self, other: String) -> Bool { !(name == other) }

        /// Returns whether the name has the code points of a pattern.
        package static func ~= (pattern: String, name: Self) -> Bool { name == pattern }
    }

    /// Returns the position of a value without the white space around it.
    package static func trimmed(_ value: Bytes) -> Range<Int> {
        var start = 0
        var end = value.count
        while start < end, ASCII.isWhiteSpace(value[start]) { start += 1 }
        while end > start, ASCII.isWhiteSpace(value[end - 1]) { end -= 1 }
        return start..<end
    }
}

/// The kind of a JSON value (RFC 8259, section 3).
package enum JSONKind: CaseIterable, Sendable {
    /// `{…}`.
    case object
    /// `[…]`.
    case array
    /// `"…"`.
    case string
    /// A number.
    case number
    /// `true` or `false`.
    case boolean
    /// `null`.
    case null
}
