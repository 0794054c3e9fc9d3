/// The characters that a reader cannot see.
///
/// A text of an author or a ViewModel may come from anywhere. Such characters reorder what follows them, or hide what a
/// text is. Terminals and generated code show none of them.
package enum InvisibleCharacters {
    /// Returns whether a character is a control character, changes the writing direction, or has no width.
    package static func contains(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.value < 0x80 { return scalar.value < 0x20 || scalar.value == 0x7F }
        let properties = scalar.properties
        return properties.generalCategory == .control || properties.isDefaultIgnorableCodePoint
            || (0xFFF9...0xFFFB).contains(scalar.value)
    }

    /// Returns a function that says whether a character of a cluster is invisible and has no meaning there.
    ///
    /// Joiners keep their meaning inside an emoji or a word.
    package static func hidden(in cluster: Character) -> (Unicode.Scalar) -> Bool {
        let scalars = cluster.unicodeScalars
        // A joiner or a selector has a meaning beside a visible character only.
        let isVisible = scalars.contains { !contains($0) }
        let isFlag = scalars.first?.value == 0x1F3F4
        return { contains($0) && !(isVisible && belongs($0, toFlag: isFlag)) }
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
}
