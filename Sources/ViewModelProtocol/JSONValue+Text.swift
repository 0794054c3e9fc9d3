extension JSONValue {
    /// Parses JSON text; returns nil for invalid text.
    public init?(text: [UInt8]) {
        guard let value = text.withUnsafeBytes({ try? JSONValue(parsing: $0) }) else { return nil }
        self = value
    }

    /// Parses JSON text; returns nil for invalid text.
    public init?(text: String) {
        self.init(text: Array(text.utf8))
    }

    /// The value's JSON text, on one line.
    public var text: [UInt8] {
        var writer = JSONWriter()
        write(to: &writer)
        return writer.bytes
    }
}
