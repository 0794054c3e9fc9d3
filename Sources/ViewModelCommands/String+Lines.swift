extension StringProtocol where SubSequence == Substring {
    /// The parts before and after the first `=`; nil without one.
    ///
    /// The second part may begin with a combining mark, which Swift takes for a part of the `=`.
    package var halves: (name: Substring, value: Substring)? {
        utf8.firstIndex(of: UInt8(ascii: "=")).map { (self[..<$0], self[utf8.index(after: $0)...]) }
    }
}

extension String {
    /// The lines, which end with a line feed or with a carriage return and a line feed.
    ///
    /// Swift takes the two for one character.
    package var lines: [Substring] {
        split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
    }
}
