internal import JSONRPC

/// The result of reading a saved value, perhaps in an earlier form of its type.
struct SavedReading<Value> {
    /// The value, or nil if the text does not decode.
    let value: Value?
    /// Why the text does not decode or has more than the value, without data of the user; nil if nothing is lost.
    let problem: String?
}

extension Graph {
    /// Reads a saved value.
    ///
    /// If it does not decode, and its type is ``Schemable``, it is read in the form that the schema has now. Costs nothing
    /// more for a value that decodes.
    func read<Value: Decodable>(_ type: Value.Type, from text: [UInt8]) -> SavedReading<Value> {
        var failure: any Error
        do {
            return SavedReading(value: try decode(type, from: text), problem: nil)
        } catch {
            failure = error
        }
        let schema = (type as? any Schemable.Type)?.schema
        if let schema, let saved = JSONValue(text: text) {
            var unknown: Set<String> = []
            do {
                let value = try decode(type, from: schema.current(saved, unknown: &unknown).text)
                let names = unknown.sorted().joined(separator: ", ")
                return SavedReading(value: value, problem: unknown.isEmpty ? nil : "it has more members: \(names)")
            } catch {
                failure = error
            }
        }
        return SavedReading(value: nil, problem: Self.problem(failure, schema))
    }

    /// Describes why a value does not decode, without what was found.
    private static func problem(_ error: any Error, _ schema: Schema?) -> String {
        guard let mismatch = error as? ValueMismatch else { return "it is not JSON" }
        // The steps of a path are names in the code, unless there is a dictionary on the way.
        let hasNames = schema.map { !$0.hasDictionary } ?? false
        let place = hasNames && !mismatch.path.isEmpty ? " at \(mismatch.path)" : ""
        let found = mismatch.found == ValueMismatch.nothing ? ", found nothing" : ""
        return "expected \(mismatch.expected)\(place)\(found)"
    }
}
