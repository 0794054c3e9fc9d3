/// A pattern of JSON Schema: a regular expression of ECMA-262 with the flag `u`, which is searched in code points.
///
/// Quantifiers, classes, alternatives, groups, anchors and general categories (`\p{L}`) are supported. Back-references,
/// look-arounds, flags and other properties of characters are not. `\d`, `\w` and `\b` mean ASCII.
///
/// A search costs at most ``size`` steps for each code point, whatever the pattern and the text are.
package struct TextPattern: Sendable {
    /// The reason why a text is not a pattern.
    package struct Fault: Error, CustomStringConvertible {
        /// The reason, as the end of a sentence.
        package let description: String
        /// Whether the text is a regular expression of ECMA-262 all the same.
        package var isUnsupported = false
    }

    /// The largest size of a pattern.
    package static let largestSize = 2000

    /// The most steps of a search, some tens of milliseconds.
    private static let mostSteps = 1 << 24

    private let program: PatternProgram

    /// Parses a pattern.
    ///
    /// - Throws: ``Fault`` for a text with another syntax, and for a pattern above ``largestSize``.
    package init(_ text: String) throws(Fault) {
        var parser = PatternParser(text)
        program = try PatternProgram(try parser.pattern())
    }

    /// The number of steps for a code point.
    package var size: Int { program.instructions.count }

    /// The number of code points up to which a text is searched.
    package var longestText: Int { Self.mostSteps / size }

    /// Returns whether a part of the text matches.
    ///
    /// The pattern occurs in no text above ``longestText``. Cost: O(n) in the text.
    package func occurs(in text: String) -> Bool {
        // A code point has at most four bytes, so that most texts need no count.
        let isShort = text.utf8.count <= longestText || text.unicodeScalars.count <= longestText
        return isShort && program.matches(text.unicodeScalars)
    }
}
