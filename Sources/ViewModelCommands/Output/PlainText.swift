/// Text that is safe to write to a terminal.
///
/// A text of a ViewModel may come from anywhere. It must not move the cursor, change the order of what follows it, or hide
/// characters.
enum PlainText {
    /// Returns a text in which each white space is a blank and each invisible character is an escape such as `\u202e`.
    ///
    /// Escaped are control characters, the controls of the writing direction and characters without a width that stand
    /// alone. Joiners stay inside an emoji or a word, and combining marks stay on their base.
    static func of(_ text: String) -> String {
        if text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return text }
        var plain = ""
        for cluster in text { append(cluster, to: &plain) }
        return plain
    }

    private static func append(_ cluster: Character, to plain: inout String) {
        let scalars = cluster.unicodeScalars
        // A joiner or a selector has a meaning beside a visible character only.
        let isVisible = scalars.contains { !isInvisible($0) }
        let isFlag = scalars.first?.value == 0x1F3F4
        for scalar in scalars {
            if isSpace(scalar) {
                if plain.last != " " || scalar != "\n" || scalars.count == 1 { plain.append(" ") }
            } else if !isInvisible(scalar) || (isVisible && belongs(scalar, toFlag: isFlag)) {
                plain.unicodeScalars.append(scalar)
            } else {
                plain += escape(scalar)
            }
        }
    }

    private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09...0x0D, 0x85, 0x2028, 0x2029: true
        default: false
        }
    }

    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.value < 0x80 { return scalar.value < 0x20 || scalar.value == 0x7F }
        let properties = scalar.properties
        return properties.generalCategory == .control || properties.isDefaultIgnorableCodePoint
            || (0xFFF9...0xFFFB).contains(scalar.value)
    }

    /// Returns whether an invisible character is a part of the visible cluster around it.
    private static func belongs(_ scalar: Unicode.Scalar, toFlag isFlag: Bool) -> Bool {
        switch scalar.value {
        // The joiners, the selectors of variants, and the parts of Hangul syllables.
        case 0x034F, 0x200C, 0x200D, 0xFE00...0xFE0F, 0xE0100...0xE01EF, 0x115F, 0x1160, 0x17B4, 0x17B5,
            0x180B...0x180F:
            true
        // The tags in the flag of a region.
        case 0xE0020...0xE007F: isFlag
        default: false
        }
    }

    /// Returns the escape of a character in JSON.
    private static func escape(_ scalar: Unicode.Scalar) -> String {
        String(scalar).utf16.map { unit in
            let digits = String(unit, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }.joined()
    }
}
