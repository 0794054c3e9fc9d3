import Testing
import ViewModelProtocol

/// Reads params as the daemon does.
func decode<Value: Decodable>(_ type: Value.Type, _ text: String, isLenient: Bool = false) throws(ValueMismatch)
    -> Value
{
    let result = Array(text.utf8).withUnsafeBytes { bytes in
        Result { () throws(ValueMismatch) in
            try JSONValueDecoder.decode(type, from: bytes, ignoring: [Meta.member], isLenient: isLenient)
        }
    }
    return try result.get()
}

/// The mismatch that reading throws; nil where it throws none.
func mismatch<Value: Decodable>(_ type: Value.Type, _ text: String) -> ValueMismatch? {
    do {
        _ = try decode(type, text)
        return nil
    } catch {
        return error
    }
}

/// The text that a value is written as.
func text(_ value: some Encodable) throws -> String {
    String(decoding: try JSONWriter.text(of: value), as: UTF8.self)
}
