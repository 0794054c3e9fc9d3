extension JSONText {
    /// Returns whether two verified texts are the same value, however they are spelled.
    ///
    /// Members are compared in any order, and the last one of a repeated name counts. Numbers are compared by value,
    /// strings and names by their code points. Each text is read once, whatever its depth.
    package static func areEqual(_ left: Bytes, _ right: Bytes) -> Bool {
        if left.elementsEqual(right) { return true }
        var (first, second) = (JSONScanner(left), JSONScanner(right))
        first.skipWhiteSpace()
        second.skipWhiteSpace()
        return JSONValue(reading: &first) == JSONValue(reading: &second)
    }
}
