extension String {
    /// The text without the byte order mark with which some editors begin a file.
    ///
    /// libyaml takes the mark for a part of what follows it, such as `---`.
    package var withoutByteOrderMark: String {
        unicodeScalars.first == "\u{FEFF}" ? String(unicodeScalars.dropFirst()) : self
    }
}
