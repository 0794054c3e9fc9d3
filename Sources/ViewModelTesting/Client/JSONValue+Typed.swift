extension JSONValue {
    /// Writes a value down as it would cross the wire.
    ///
    /// - Throws: ``HarnessError`` where it has no JSON.
    public init(encoding value: some Encodable) throws(HarnessError) {
        var writer = JSONWriter()
        do {
            try writer.encode(value)
        } catch {
            throw HarnessError("\(value) cannot be encoded: \(error)")
        }
        guard let json = JSONValue(text: writer.bytes) else { throw HarnessError("\(value) was encoded as no JSON") }
        self = json
    }

    /// Reads the value as a type.
    ///
    /// - Throws: ``HarnessError`` where it does not fit.
    public func decoded<Value: Decodable>(as type: Value.Type = Value.self) throws(HarnessError) -> Value {
        do {
            return try text.withUnsafeBytes { try JSONValueDecoder.decode(type, from: $0) }
        } catch let error as ValueMismatch {
            let place = error.path.isEmpty ? "" : " at \(error.path)"
            throw HarnessError("no \(type)\(place): \(error.expected) was expected, \(error.found) found, in \(self)")
        } catch {
            throw HarnessError("no \(type): \(error)")
        }
    }
}
