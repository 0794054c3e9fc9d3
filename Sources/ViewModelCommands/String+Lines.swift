extension String {
    /// The lines, which end with a line feed or with a carriage return and a line feed.
    ///
    /// Swift takes the two for one character.
    var lines: [Substring] {
        split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
    }
}
