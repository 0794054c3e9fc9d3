extension JSONText {
    /// Returns whether two verified texts are the same value, however they are spelled.
    ///
    /// Members are compared in any order, and the last one of a repeated name counts. Numbers are compared by value,
    /// strings and names by their code points. Each text is read once, whatever its depth.
    package static func areEqual(_ left: Bytes, _ right: Bytes) -> Bool {
        if left.elementsEqual(right) { return true }
        var (first, second) = (VerifiedText(left), VerifiedText(right))
        return ComparableValue(reading: &first) == ComparableValue(reading: &second)
    }
}

/// A JSON value in the form that ``JSONText/areEqual(_:_:)`` compares.
private indirect enum ComparableValue: Equatable {
    case object([ExactString: ComparableValue])
    case array([ComparableValue])
    case string(ExactString)
    case number(DecimalText)
    /// The first letter of `true`, `false` or `null`.
    case literal(UInt8)

    init(reading text: inout VerifiedText) {
        text.skipWhiteSpace()
        switch text.current {
        case ASCII.openBrace:
            var members: [ExactString: ComparableValue] = [:]
            if text.enter() {
                repeat {
                    let (name, hasEscapes) = text.name()
                    let key = ExactString(JSONText.string(text.bytes.part(name), hasEscapes: hasEscapes))
                    members[key] = ComparableValue(reading: &text)
                } while text.next()
            }
            text.position += 1
            self = .object(members)
        case ASCII.openBracket:
            var elements: [ComparableValue] = []
            if text.enter() {
                repeat { elements.append(ComparableValue(reading: &text)) } while text.next()
            }
            text.position += 1
            self = .array(elements)
        case ASCII.quote:
            let start = text.position + 1
            let hasEscapes = text.skipString()
            let contents = text.bytes.part(start..<max(start, text.position - 1))
            self = .string(ExactString(JSONText.string(contents, hasEscapes: hasEscapes)))
        case let letter where letter == ASCII.minus || ASCII.isDigit(letter):
            self = .number(DecimalText(text.bytes.part(text.skipValue())))
        case let letter:
            _ = text.skipValue()
            self = .literal(letter)
        }
    }
}
