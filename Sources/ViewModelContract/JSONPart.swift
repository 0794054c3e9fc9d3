package import ViewModelProtocol

/// A value in a JSON text, with its position.
///
/// It borrows the text.
package struct JSONPart {
    package let document: Bytes
    package let range: Range<Int>

    package var text: Bytes { document.part(range) }

    package var kind: JSONKind { JSONText.kind(of: text) }

    package init(document: Bytes, range: Range<Int>) {
        (self.document, self.range) = (document, range)
    }

    /// The text of a string; nil for another value.
    package var string: String? {
        guard kind == .string else { return nil }
        let trimmed = JSONText.trimmed(text)
        return JSONText.string(text.part(trimmed.lowerBound + 1..<trimmed.upperBound - 1))
    }

    /// The tokens of a string that is a JSON Pointer; none for another value.
    package var tokens: [String] { string.flatMap { JSONPointer($0)?.tokens } ?? [] }

    /// The text of a string, or the source text of another value.
    package var plainText: String { string ?? String(decoding: text[JSONText.trimmed(text)], as: UTF8.self) }

    /// The members of an object; none for another value.
    package var members: [(name: String, value: JSONPart)] {
        guard kind == .object else { return [] }
        var members: [(name: String, value: JSONPart)] = []
        JSONText.forEachMember(of: text) { members.append((name: $0.description, value: part($1))) }
        return members
    }

    /// The first member of an object with a name.
    package subscript(name: String) -> JSONPart? { members.first { $0.name == name }?.value }

    /// The elements of an array; none for another value.
    package var elements: [JSONPart] {
        guard kind == .array else { return [] }
        var elements: [JSONPart] = []
        JSONText.forEachElement(of: text) { elements.append(part($0)) }
        return elements
    }

    private func part(_ range: Range<Int>) -> JSONPart {
        JSONPart(
            document: document,
            range: self.range.lowerBound + range.lowerBound..<self.range.lowerBound + range.upperBound
        )
    }

    /// The position of the name of a member whose value this is, with its quotes.
    package var nameRange: Range<Int> {
        // Only white space and the colon are in between.
        let end = document[..<range.lowerBound].lastIndex(of: UInt8(ascii: "\"")) ?? 0
        var start = end
        repeat {
            start = document[..<start].lastIndex(of: UInt8(ascii: "\"")) ?? 0
            // An odd number of backslashes before it makes a quote a part of the name.
        } while !document[..<start].reversed().prefix { $0 == UInt8(ascii: "\\") }.count.isMultiple(of: 2)
        return start..<end + 1
    }

    /// The strings, names of members included, and the numbers in the value, in order.
    package var scalars: [JSONPart] {
        switch kind {
        case .object: members.flatMap { [JSONPart(document: document, range: $0.value.nameRange)] + $0.value.scalars }
        case .array: elements.flatMap(\.scalars)
        case .string, .number: [self]
        case .boolean, .null: []
        }
    }
}
