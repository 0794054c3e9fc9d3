import ViewModelContract

/// Text that is safe to write to a terminal.
///
/// A text of a ViewModel may come from anywhere. It must not move the cursor, change the order of what follows it, or hide
/// characters.
package enum PlainText {
    /// Returns a text in which each white space is a blank and each invisible character is an escape such as `\u202e`.
    ///
    /// Escaped are control characters, the controls of the writing direction and characters without a width that stand
    /// alone. Joiners stay inside an emoji or a word, and combining marks stay on their base.
    package static func of(_ text: String) -> String {
        if text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return text }
        var plain = ""
        for cluster in text { append(cluster, to: &plain) }
        return plain
    }

    private static func append(_ cluster: Character, to plain: inout String) {
        let scalars = cluster.unicodeScalars
        let isHidden = InvisibleCharacters.hidden(in: cluster)
        for scalar in scalars {
            if isSpace(scalar) {
                if plain.last != " " || scalar != "\n" || scalars.count == 1 { plain.append(" ") }
            } else if !isHidden(scalar) {
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

    /// Returns the escape of a character in JSON.
    private static func escape(_ scalar: Unicode.Scalar) -> String {
        String(scalar).utf16.map { unit in
            let digits = String(unit, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }.joined()
    }
}
