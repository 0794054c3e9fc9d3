import JSONRPC
import ViewModelProtocol

/// Parses a message, and reads every part that its envelopes point to.
func fuzzEnvelope(_ input: UnsafeRawBufferPointer) {
    if let envelope = try? Envelope(parsing: input) { check(envelope, input) }
    guard let batch = try? Envelope.batch(in: input, maximum: 3) else { return }
    require(batch.entries.count == min(batch.count, 3), "\(batch.entries.count) of \(batch.count) entries are kept")
    for envelope in batch.entries { check(envelope, input) }
}

private func check(_ envelope: Envelope, _ message: Bytes) {
    for range in [envelope.id, envelope.params, envelope.result, envelope.error].compactMap(\.self) {
        require((try? JSONText.validate(message.part(range))) != nil, "no JSON at \(range)")
    }
    _ = JSONText.string(message.part(envelope.method))
    if let range = envelope.id {
        let id = RequestID(in: message, at: range)
        var writer = JSONWriter()
        id.write(to: &writer)
        let again = writer.bytes.withUnsafeBytes { RequestID(in: $0, at: 0..<$0.count) }
        require(again == id && again.hashValue == id.hashValue, "the id \(id) became \(again)")
    }
    if let range = envelope.error, let object = try? JSONValue(parsing: message.part(range)),
        let error = ProtocolError(object)
    {
        var writer = JSONWriter()
        error.write(to: &writer)
        let again = JSONValue(text: writer.bytes).flatMap { ProtocolError($0) }
        require(again == error, "the error \(error) became \(String(describing: again))")
    }
}
