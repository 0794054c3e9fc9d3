/// A parser for the syntax of patterns (ECMA-262, section 22.2.1).
struct PatternParser {
    /// The deepest nesting of groups, which bounds the stack.
    private static let deepestGroup = 100

    private let text: [Unicode.Scalar]
    private var position = 0
    private var depth = 0

    init(_ text: String) {
        self.text = Array(text.unicodeScalars)
    }

    private var current: Unicode.Scalar? { position < text.count ? text[position] : nil }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard current == scalar else { return false }
        position += 1
        return true
    }

    private mutating func next() -> Unicode.Scalar? {
        defer { position += 1 }
        return current
    }

    mutating func pattern() throws(TextPattern.Fault) -> PatternNode {
        let pattern = try alternatives()
        guard current == nil else { throw fault("a ) closes no group") }
        return pattern
    }

    private mutating func alternatives() throws(TextPattern.Fault) -> PatternNode {
        var parts = [try sequence()]
        while take("|") { parts.append(try sequence()) }
        return parts.count == 1 ? parts[0] : .alternatives(parts)
    }

    private mutating func sequence() throws(TextPattern.Fault) -> PatternNode {
        var parts: [PatternNode] = []
        while let scalar = current, scalar != "|", scalar != ")" {
            position += 1
            if let assertion = assertion(scalar) {
                parts.append(.assertion(assertion))
            } else {
                parts.append(try repeated(try atom(scalar)))
            }
        }
        return .sequence(parts)
    }

    private mutating func assertion(_ scalar: Unicode.Scalar) -> PatternAssertion? {
        switch scalar {
        case "^": return .start
        case "$": return .end
        case "\\" where take("b"): return .wordBoundary
        case "\\" where take("B"): return .noWordBoundary
        default: return nil
        }
    }

    private mutating func atom(_ scalar: Unicode.Scalar) throws(TextPattern.Fault) -> PatternNode {
        switch scalar {
        case ".": return .one(.anyButLineEnds)
        case "(": return try group()
        case "[": return .one(try set())
        case "\\":
            if let set = try classEscape() { return .one(set) }
            return .one(ScalarSet(try escaped()))
        case "*", "+", "?": throw fault("a \(scalar) repeats nothing")
        case "]", "{", "}": throw fault("a \(scalar) needs a backslash")
        default: return .one(ScalarSet(scalar))
        }
    }

    private mutating func group() throws(TextPattern.Fault) -> PatternNode {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.deepestGroup else { throw unsupported("its groups are nested too deeply") }
        if take("?") {
            switch next() {
            case ":": break
            case "<" where current != "=" && current != "!":
                guard let end = text[position...].firstIndex(of: ">"), end > position else {
                    throw fault("the name of a group has no end")
                }
                position = end + 1
            case "=", "!", "<": throw unsupported("it has a look-around")
            default: throw unsupported("it has a group with flags")
            }
        }
        let content = try alternatives()
        guard take(")") else { throw fault("a group has no )") }
        return content
    }

    private mutating func repeated(_ node: PatternNode) throws(TextPattern.Fault) -> PatternNode {
        var (least, most): (Int, Int?)
        switch current {
        case "*": (least, most) = (0, nil)
        case "+": (least, most) = (1, nil)
        case "?": (least, most) = (0, 1)
        case "{":
            position += 1
            guard let first = number() else { throw fault("a { is neither a repetition nor behind a backslash") }
            (least, most) = (first, first)
            if take(",") { most = number() }
            guard current == "}" else { throw fault("a repetition has no }") }
            if let most, most < least { throw fault("a repetition ends before it begins") }
        default: return node
        }
        position += 1
        // A search finds the same texts with the shortest repetition as with the longest one.
        _ = take("?")
        // To repeat a part that reads nothing is to read it once.
        if node.isEmpty { return .sequence([]) }
        return .repeated(node, least: least, most: most)
    }

    private mutating func number() -> Int? {
        var number: Int?
        while let digit = digit(10) { number = min((number ?? 0) * 10 + Int(digit), 1 << 40) }
        return number
    }

    private mutating func digit(_ base: UInt32) -> UInt32? {
        guard let current, current.isASCII, let digit = Character(current).hexDigitValue, digit < base else {
            return nil
        }
        position += 1
        return UInt32(digit)
    }

    // MARK: Characters

    private mutating func set() throws(TextPattern.Fault) -> ScalarSet {
        let isNegated = take("^")
        var parts: [ScalarSet] = []
        while !take("]") {
            guard let low = try member(&parts) else {
                guard current != "-" || isLast(at: position + 1) else { throw fault("a range begins with a class") }
                continue
            }
            guard current == "-", !isLast(at: position + 1) else {
                parts.append(ScalarSet(low))
                continue
            }
            position += 1
            guard let high = try member(&parts) else { throw fault("a range ends with a class") }
            guard low <= high else { throw fault("a range ends before it begins") }
            parts.append(ScalarSet([low.value...high.value]))
        }
        return ScalarSet(union: parts, isNegated: isNegated)
    }

    private func isLast(at position: Int) -> Bool { position < text.count && text[position] == "]" }

    /// Reads a character of a class, or adds the set of an escape such as `\d` to the parts and returns nil.
    private mutating func member(_ parts: inout [ScalarSet]) throws(TextPattern.Fault) -> Unicode.Scalar? {
        guard let scalar = next() else { throw fault("a class has no ]") }
        guard scalar == "\\" else { return scalar }
        if let set = try classEscape() {
            parts.append(set)
            return nil
        }
        return take("b") ? "\u{8}" : try escaped()
    }

    /// Reads the rest of an escape for a class of characters; returns nil for another one.
    private mutating func classEscape() throws(TextPattern.Fault) -> ScalarSet? {
        guard let letter = current else { throw fault("a backslash ends it") }
        let set: ScalarSet
        switch letter {
        case "d": set = .digits
        case "D": set = ScalarSet.digits.complement
        case "w": set = .words
        case "W": set = ScalarSet.words.complement
        case "s": set = .blanks
        case "S": set = ScalarSet.blanks.complement
        case "p", "P":
            position += 1
            guard take("{"), let end = text[position...].firstIndex(of: "}") else {
                throw fault("\\\(letter) needs a name in braces")
            }
            var name = ""
            name.unicodeScalars.append(contentsOf: text[position..<end])
            position = end + 1
            guard let set = ScalarSet(property: name, isNegated: letter == "P") else {
                throw unsupported("\(name) is not a general category of Unicode")
            }
            return set
        default: return nil
        }
        position += 1
        return set
    }

    /// Reads the rest of an escape for one character.
    private mutating func escaped() throws(TextPattern.Fault) -> Unicode.Scalar {
        guard let letter = next() else { throw fault("a backslash ends it") }
        switch letter {
        case "t": return "\t"
        case "n": return "\n"
        case "v": return "\u{B}"
        case "f": return "\u{C}"
        case "r": return "\r"
        case "0" where digit(10) == nil: return "\0"
        case "0"..."9", "k": throw unsupported("it has a back-reference")
        case "c":
            guard let control = next(), control.isASCII, control.properties.isAlphabetic else {
                throw fault("\\c needs a letter")
            }
            return Unicode.Scalar(UInt8(control.value & 0x1F))
        case "x": return try scalar(hexadecimal(2))
        case "u": return try unicodeEscape()
        default:
            let isLetter = letter.properties.isAlphabetic || letter.properties.numericType != nil
            guard letter.isASCII, letter.value >= 0x20, !isLetter else { throw fault("it has the escape \\\(letter)") }
            return letter
        }
    }

    private mutating func unicodeEscape() throws(TextPattern.Fault) -> Unicode.Scalar {
        guard take("{") else {
            let high = try hexadecimal(4)
            guard 0xD800...0xDBFF ~= high, take("\\"), take("u") else { return try scalar(high) }
            let low = try hexadecimal(4)
            guard 0xDC00...0xDFFF ~= low else { throw fault("it has half of a surrogate pair") }
            return try scalar(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00))
        }
        var value: UInt32?
        while let digit = digit(16) { value = min((value ?? 0) << 4 | digit, 0x11_0000) }
        guard let value, take("}") else { throw fault("\\u{ needs digits and a }") }
        return try scalar(value)
    }

    private mutating func hexadecimal(_ count: Int) throws(TextPattern.Fault) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<count {
            guard let digit = digit(16) else { throw fault("an escape needs \(count) hexadecimal digits") }
            value = value << 4 | digit
        }
        return value
    }

    private func scalar(_ value: UInt32) throws(TextPattern.Fault) -> Unicode.Scalar {
        guard let scalar = Unicode.Scalar(value) else { throw fault("an escape is not a character of Unicode") }
        return scalar
    }

    private func unsupported(_ reason: String) -> TextPattern.Fault {
        TextPattern.Fault(description: reason, isUnsupported: true)
    }

    private func fault(_ reason: String) -> TextPattern.Fault { TextPattern.Fault(description: reason) }
}
