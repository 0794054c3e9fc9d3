import JSONRPC
import ViewModelClient
import ViewModelContract

extension Condition {
    /// Returns why the value cannot occur in an output, or nil.
    ///
    /// The text is the end of a sentence.
    func problem(_ schema: ContractSchema, in components: ContractComponents) -> (text: String, remedy: String?)? {
        let schemas: [ContractSchema]
        do {
            guard let found = try components.schemas(at: pointer, of: schema) else { return nil }
            schemas = found
        } catch {
            let remedy = error.unknown.flatMap { ErrorText.question($0.name, among: $0.known) }
            return ("\(output) has no \(error.path): \(error.expected)", remedy)
        }
        guard let expected else { return nil }
        let values = [JSONValue.string(expected), JSONValue(text: expected)].compactMap(\.self)
        var mismatches: [ValueMismatch] = []
        for schema in schemas {
            guard !values.contains(where: { (try? schema.check($0, components)) != nil }) else { return nil }
            do {
                try schema.check(components.value(of: expected, as: schema), components)
            } catch {
                mismatches.append(error)
            }
        }
        let texts = mismatches.map { ($0.path.isEmpty ? "" : "\($0.path) ") + $0.expected }
        let found = mismatches.first?.found ?? expected
        let examples = schemas.flatMap { components.examples(of: $0) }
        let remedy =
            expected.utf8.first == UInt8(ascii: "=")
            ? "One = is enough" : ErrorText.question(expected, among: examples)
        return ("expected \(texts.joined(separator: " or ")), found \(found)", remedy)
    }
}
