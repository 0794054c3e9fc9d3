import JSONRPC
import ViewModelContract

struct PythonType {
    var annotation: String
    /// The function that makes a value from JSON.
    var reader: String
    /// Whether the reader returns `Any` although the annotation says more.
    var isLoose = false

    static let any = PythonType(annotation: "Any", reader: "as_any")
    static let none = PythonType(annotation: "None", reader: "as_none")

    var optional: PythonType {
        guard annotation != "None", annotation != "Any", !annotation.hasSuffix(" | None") else { return self }
        return PythonType(annotation: "\(annotation) | None", reader: "as_optional(\(reader))")
    }

    /// Returns the expression that reads a value.
    ///
    /// The type checkers refuse the result of a function that returns nothing but `None`.
    func read(_ json: String) -> String { annotation == "None" ? "None" : "\(reader)(\(json))" }

    /// Returns an expression that the reader makes, with the type of the annotation.
    func cast(_ expression: String) -> String {
        isLoose ? "cast(\(PythonText.literal(annotation)), \(expression))" : expression
    }

    var list: PythonType { PythonType(annotation: "list[\(annotation)]", reader: "as_list(\(reader))") }
    /// The reader is that of a row.
    var rows: PythonType { PythonType(annotation: "Rows[\(annotation)]", reader: reader) }
    var dictionary: PythonType { PythonType(annotation: "dict[str, \(annotation)]", reader: "as_dict(\(reader))") }

    static func union(_ types: [PythonType]) -> PythonType {
        var unique: [PythonType] = []
        for type in types where !unique.contains(where: { $0.annotation == type.annotation }) { unique.append(type) }
        // `{"type": ["null"]}` has no alternative beside null.
        if unique.isEmpty { return .none }
        if unique.count == 1 { return unique[0] }
        if unique.contains(where: { $0.annotation == "Any" }) { return .any }
        return PythonType(
            annotation: unique.map(\.annotation).joined(separator: " | "),
            reader: "as_union(\(unique.map(\.reader).joined(separator: ", ")))",
            isLoose: true
        )
    }

    static func string(_ rule: ContractSchema.StringRule) -> PythonType {
        switch rule.format {
        case "date-time": PythonType(annotation: "datetime", reader: "as_date")
        case "byte", "base64": PythonType(annotation: "bytes", reader: "as_bytes")
        case "decimal": PythonType(annotation: "Decimal", reader: "as_decimal")
        case "uuid": PythonType(annotation: "UUID", reader: "as_uuid")
        default: PythonType(annotation: "str", reader: "as_text")
        }
    }

    /// Returns the type of a value that is one of several.
    static func choice(_ choices: [ContractSchema.Choice]) -> PythonType {
        guard let cases = cases(choices) else { return .any }
        if cases == ["None"] { return .none }
        return PythonType(annotation: "Literal[\(cases.joined(separator: ", "))]", reader: "as_case", isLoose: true)
    }

    /// Returns the literals of cases, or nil if one of them is no literal.
    static func cases(_ choices: [ContractSchema.Choice]) -> [String]? {
        var cases: [String] = []
        for choice in choices {
            let text: String
            switch choice.value {
            case .string(let value): text = PythonText.literal(value)
            case .number(let value) where Int(value) != nil: text = value
            case .bool(let flag): text = flag ? "True" : "False"
            case .null: text = "None"
            default: return nil
            }
            if !cases.contains(text) { cases.append(text) }
        }
        return cases
    }
}
