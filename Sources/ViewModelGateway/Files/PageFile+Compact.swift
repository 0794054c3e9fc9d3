extension PageFile {
    /// Returns the bytes that browsers get: without indentation and empty lines, and of a script or a style sheet without
    /// comments that fill their lines and without white space that separates nothing.
    ///
    /// Names and texts stay as they are. A template literal of several lines would lose its indentation. The tests of the
    /// pages allow none, and they compare the tokens of each script with those of the served one.
    func compactBytes() -> [UInt8] {
        guard contentType != Self.image else { return bytes() }
        let lines = bytes().split(separator: UInt8(ascii: "\n")).map { $0.drop { "\t ".utf8.contains($0) } }
            .filter { !$0.isEmpty }
        guard contentType != Self.html else { return Array(lines.joined(separator: "\n".utf8)) }
        // In a style sheet ` :` and ` (` begin another selector or a condition.
        let before = contentType == Self.script ? "{}()[],;:=<>&|?!*" : "{}"
        let after = contentType == Self.script ? before : "{},;:"
        return Self.withoutComments(lines).reduce(into: []) { result, line in
            result += Self.withoutSpaces(line, before: before, after: after)
            let isJoined = result.last.map("{}([,;".utf8.contains) == true && line.firstRange(of: "//".utf8) == nil
            if !isJoined { result.append(UInt8(ascii: "\n")) }
        }
    }

    /// Returns the lines that are not in a comment which fills its lines.
    private static func withoutComments(_ lines: [ArraySlice<UInt8>]) -> [ArraySlice<UInt8>] {
        var isComment = false
        return lines.filter { line in
            let ending = line.firstRange(of: "*/".utf8)
            let isWhole = ending == nil || ending?.upperBound == line.endIndex
            let begins = !isComment && isWhole && line.starts(with: "/*".utf8)
            let wasComment = isComment || begins || line.starts(with: "//".utf8)
            isComment = (isComment || begins) && ending == nil
            return !wasComment
        }
    }

    /// Returns a line without the spaces that stand before or after certain characters outside of its texts.
    ///
    /// A line with a character that can begin an escape, a template, a regular expression or a comment stays as it is.
    private static func withoutSpaces(_ line: ArraySlice<UInt8>, before: String, after: String) -> [UInt8] {
        var result: [UInt8] = []
        var isText = false
        for (byte, next) in zip(line, Array(line.dropFirst()) + [0]) {
            if byte == UInt8(ascii: "\"") { isText.toggle() }
            if byte == UInt8(ascii: "\\") || (!isText && "'`/".utf8.contains(byte)) { return Array(line) }
            let isNeeded = isText || !(before.utf8.contains(next) || result.last.map(after.utf8.contains) == true)
            if byte != UInt8(ascii: " ") || isNeeded { result.append(byte) }
        }
        return isText ? Array(line) : result
    }
}
