extension JSONValue {
    /// Returns an array of strings.
    static func strings(_ values: [String]) -> JSONValue { .array(values.map { .string($0) }) }
}
