import CUnixIO
import Glibc

/// The number of columns that text takes on a terminal, as the C library counts them.
///
/// The unit is the grapheme cluster: a base with its combining marks, an emoji sequence or a flag is never divided.
package enum DisplayWidth {
    /// Returns the columns of a text without control characters.
    static func of(_ text: some StringProtocol) -> Int {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
        return text.reduce(0) { $0 + of($1) }
    }

    /// Returns the columns of a grapheme cluster: 0, 1 or 2.
    static func of(_ cluster: Character) -> Int {
        let scalars = cluster.unicodeScalars
        guard let first = scalars.first else { return 0 }
        if scalars.count == 1 { return of(first) }
        if isEmoji(scalars) { return 2 }
        return min(2, scalars.reduce(0) { $0 + of($1) })
    }

    /// Returns the longest start of a text that fits into a number of columns.
    static func prefix(_ text: String, columns: Int) -> Substring {
        var left = columns
        var end = text.startIndex
        while end < text.endIndex {
            left -= of(text[end])
            if left < 0 { break }
            end = text.index(after: end)
        }
        return text[..<end]
    }

    /// Returns the text, or its start and `…` if it is wider than a number of columns.
    package static func cut(_ text: String, to columns: Int) -> String {
        guard of(text) > columns else { return text }
        return columns < 1 ? "" : prefix(text, columns: columns - 1) + "…"
    }

    /// Returns the text with blanks up to a number of columns.
    static func pad(_ text: String, to columns: Int) -> String {
        text + String(repeating: " ", count: max(0, columns - of(text)))
    }

    private static func of(_ scalar: Unicode.Scalar) -> Int {
        switch scalar.value {
        case ..<0x300: return 1
        // A lone half of a flag.
        case 0x1F1E6...0x1F1FF: return 2
        default: break
        }
        guard hasCharacters else { return 1 }
        // The library knows no width of a character that is newer than it.
        let width = unix_columns(scalar.value)
        return width < 0 ? 1 : Int(width)
    }

    /// Whether the library has the characters of UTF-8; a process begins with the locale C, which has those of ASCII.
    private static let hasCharacters = setlocale(LC_CTYPE, "C.UTF-8") != nil

    /// Returns whether a cluster of several characters is shown as one emoji: a flag, a keycap, a sequence with joiners, or
    /// a symbol with the selector for emoji or with a skin tone.
    private static func isEmoji(_ scalars: Character.UnicodeScalarView) -> Bool {
        guard scalars.first?.properties.isEmoji == true else { return false }
        return scalars.contains { scalar in
            switch scalar.value {
            case 0x200D, 0xFE0F, 0x1F1E6...0x1F1FF, 0x1F3FB...0x1F3FF: true
            default: false
            }
        }
    }
}
