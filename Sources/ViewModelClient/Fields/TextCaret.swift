/// The rule by which a caret follows a text that another party has changed (protocol, section 6, "Fields").
public enum TextCaret {
    /// Returns the position of the caret in a new text.
    ///
    /// A caret in the common prefix of the texts keeps its distance from the start. A caret in the common suffix keeps
    /// its distance from the end. Between them it keeps its distance from the prefix, as far as the new text goes.
    ///
    /// - Parameters:
    ///   - caret: The position in the old text, a number of characters.
    ///   - old: The old text.
    ///   - new: The new text.
    /// - Returns: The position in the new text, a number of characters.
    public static func moved(_ caret: Int, from old: String, to new: String) -> Int {
        let (old, new) = (Array(old), Array(new))
        let caret = min(max(caret, 0), old.count)
        let prefix = zip(old, new).prefix { $0 == $1 }.count
        let longestSuffix = min(old.count, new.count) - prefix
        let suffix = zip(old.reversed(), new.reversed()).prefix(longestSuffix).prefix { $0 == $1 }.count
        if caret <= prefix { return caret }
        if caret >= old.count - suffix { return caret + new.count - old.count }
        return min(caret, new.count - suffix)
    }
}
