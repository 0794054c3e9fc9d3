import ViewModelProtocol

/// A value in the text of a message, with its position.
///
/// It borrows the text.
struct MessagePart {
    let message: Bytes
    let range: Range<Int>

    private var text: Bytes { message.part(range) }

    var kind: JSONKind { JSONText.kind(of: text) }

    /// The text of a string; nil for another value.
    var string: String? {
        guard kind == .string else { return nil }
        let trimmed = JSONText.trimmed(text)
        return JSONText.string(text.part(trimmed.lowerBound + 1..<trimmed.upperBound - 1))
    }

    /// The tokens of a string that is a JSON Pointer; none for another value.
    var tokens: [String] { string.flatMap { JSONPointer($0)?.tokens } ?? [] }

    /// The text of a string, or the source text of another value.
    var plainText: String { string ?? String(decoding: text[JSONText.trimmed(text)], as: UTF8.self) }

    /// The members of an object; none for another value.
    var members: [(name: String, value: MessagePart)] {
        guard kind == .object else { return [] }
        var members: [(name: String, value: MessagePart)] = []
        JSONText.forEachMember(of: text) { members.append((name: $0.description, value: part($1))) }
        return members
    }

    /// The first member of an object with a name.
    subscript(name: String) -> MessagePart? { members.first { $0.name == name }?.value }

    /// The elements of an array; none for another value.
    var elements: [MessagePart] {
        guard kind == .array else { return [] }
        var elements: [MessagePart] = []
        JSONText.forEachElement(of: text) { elements.append(part($0)) }
        return elements
    }

    private func part(_ range: Range<Int>) -> MessagePart {
        MessagePart(
            message: message,
            range: self.range.lowerBound + range.lowerBound..<self.range.lowerBound + range.upperBound
        )
    }

    /// The position of the name of a member whose value this is, with its quotes.
    var nameRange: Range<Int> {
        // Only white space and the colon are in between.
        let end = message[..<range.lowerBound].lastIndex(of: UInt8(ascii: "\"")) ?? 0
        var start = end
        repeat {
            start = message[..<start].lastIndex(of: UInt8(ascii: "\"")) ?? 0
            // An odd number of backslashes before it makes a quote a part of the name.
        } while !message[..<start].reversed().prefix { $0 == UInt8(ascii: "\\") }.count.isMultiple(of: 2)
        return start..<end + 1
    }

    /// The strings, names of members included, and the numbers in the value, in order.
    var scalars: [MessagePart] {
        switch kind {
        case .object: members.flatMap { [MessagePart(message: message, range: $0.value.nameRange)] + $0.value.scalars }
        case .array: elements.flatMap(\.scalars)
        case .string, .number: [self]
        case .boolean, .null: []
        }
    }
}
