package import JSONRPC
import ViewModelContract

/// A value that a client sent, as JSON text: the params of a call, or the arguments of `viewModel.open`.
///
/// The text is borrowed, and valid for the duration of the call.
package struct SentValue {
    private let text: Bytes
    private let path: String
    private let ignored: Set<String>
    private let reading: ParameterReading

    /// Creates a value.
    ///
    /// - Parameters:
    ///   - text: its verified JSON text.
    ///   - path: the beginning of the path in an error about the type of a part.
    ///   - ignored: the names of top-level members that are not part of the value.
    ///   - reading: how the value is read, from its schema.
    package init(
        _ text: Bytes,
        at path: String,
        ignoring ignored: Set<String> = [],
        as reading: ParameterReading
    ) {
        self.text = text
        self.path = path
        self.ignored = ignored
        self.reading = reading
    }

    /// Decodes the value and checks its bounds.
    ///
    /// - Parameter type: the type of the value.
    /// - Returns: the value.
    /// - Throws: `ValueMismatch` for a value that does not fit its type, or ``InvalidValue`` for a part that is out of its
    ///   bounds, with its path in the value.
    package func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let value = try JSONValueDecoder.decode(type, from: text, ignoring: ignored, path: path)
        if !reading.admits(value), let check = reading.check {
            do throws(ValueMismatch) {
                try check.check(json)
            } catch {
                let refusal = InvalidValue(error)
                throw reading.isSecret ? refusal.redacted : refusal
            }
        }
        return value
    }

    /// The value as JSON.
    ///
    /// Members that occur twice have one value, as for the decoder: the last.
    package var json: JSONValue {
        guard let value = try? JSONValue(parsing: text) else { return .null }
        guard !ignored.isEmpty, case .object(var members) = value else { return value }
        for name in ignored { members[name] = nil }
        return .object(members)
    }
}

extension ParameterReading {
    /// Returns whether a decoded value has no bounds, or is known to be within them without its JSON.
    fileprivate func admits<Value>(_ value: Value) -> Bool {
        guard check != nil else { return true }
        guard Value.self == Int.self, let integers else { return false }
        return integers.contains(unsafeBitCast(value, to: Int.self))
    }
}
