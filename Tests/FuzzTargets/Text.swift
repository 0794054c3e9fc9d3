import JSONRPC

/// Reads JSON text, writes it, and reads it again.
///
/// The two validating readers have to agree, and the value has to survive.
func fuzzText(_ input: UnsafeRawBufferPointer) {
    let isValid = (try? JSONText.validate(input)) != nil
    let isMessage = (try? Envelope(parsing: input)) != nil
    let isBatch = (try? Envelope.batch(in: input, maximum: 100)) != nil
    require(isBatch == (isValid && JSONText.kind(of: input) == .array), "validate: \(isValid), batch: \(isBatch)")
    require(isValid == isMessage, "validate: \(isValid), parse: \(isMessage)")
    let value = try? JSONValue(parsing: input)
    require(isValid == (value != nil), "validate: \(isValid), value: \(String(describing: value))")
    guard let value else { return }

    let text = value.description
    guard let again = Array(text.utf8).withUnsafeBytes({ try? JSONValue(parsing: $0) }) else {
        fatalError("the written text is refused: \(text)")
    }
    require(again == value, "another value: \(text)")
    require(again.hashValue == value.hashValue, "equal values, other hashes: \(text)")
    require(again.description == text, "another text: \(text), \(again)")
    _ = (value.intValue, value.doubleValue, value["a"], value[0])
}
