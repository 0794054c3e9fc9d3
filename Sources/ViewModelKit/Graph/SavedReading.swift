internal import JSONRPC

/// The result of reading a saved value, perhaps in an earlier form of its type.
struct SavedReading<Value: Decodable> {
    /// The value, or nil if the text does not decode.
    let value: Value?
    /// Why the text does not decode or has more than the value, without data of the user; nil if nothing is lost.
    let problem: String?

    /// Reads a saved value.
    ///
    /// If it does not decode, and its type is ``Schemable``, it is read in the form that the schema has now. Costs nothing
    /// more for a value that decodes.
    init(_ text: [UInt8]) {
        do {
            let value = try Graph.decode(Value.self, from: text)
            self.init(value: value, problem: nil)
        } catch {
            self.init(text, insteadOf: error)
        }
    }

    private init(value: Value?, problem: String?) {
        self.value = value
        self.problem = problem
    }

    /// Reads a value in the form that its schema has now, after an attempt in the saved form has failed.
    private init(_ text: [UInt8], insteadOf failure: any Error) {
        let schema = (Value.self as? any Schemable.Type)?.schema
        guard let schema, let saved = JSONValue(text: text) else {
            self.init(value: nil, problem: Self.problem(failure, schema))
            return
        }
        var unknown: Set<String> = []
        let present = schema.current(saved, unknown: &unknown).text
        do {
            let value = try Graph.decode(Value.self, from: present)
            // The names may be data: a dictionary may have become a struct.
            let problem = unknown.isEmpty ? nil : "it has more members than the type: \(unknown.count)"
            self.init(value: value, problem: problem)
        } catch {
            self.init(value: nil, problem: Self.problem(error, schema))
        }
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
