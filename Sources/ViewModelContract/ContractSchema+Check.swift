internal import FoundationEssentials
package import JSONRPC
import TextPatterns
package import ViewModelProtocol

extension ContractSchema {
    /// Checks a value, as the host checks the values of a ViewModel's types.
    ///
    /// - Parameters:
    ///   - value: the value.
    ///   - components: the schemas that references name.
    /// - Returns: The value in one spelling: an integer is written without a fraction.
    /// - Throws: `ValueMismatch` for the first part that does not fit.
    @discardableResult
    package func check(_ value: JSONValue, _ components: ContractComponents) throws(ValueMismatch) -> JSONValue {
        var check = ContractCheck(components: components)
        return try check.checked(value, self, "")
    }

    fileprivate func isMultiple(_ value: JSONValue) -> Bool {
        guard let divisor, case .number(let text) = value else { return true }
        guard let number = ExactNumber(text), let unit = ExactNumber(divisor) else { return false }
        return number.isMultiple(of: unit)
    }

    /// Describes the values of the schema, for an error.
    func expectation(_ components: ContractComponents) -> String {
        switch rule {
        case .any: return "a value"
        case .null: return "null"
        case .boolean: return "true or false"
        case .integer(let minimum?, let maximum?): return "an integer from \(minimum) to \(maximum)\(multipleText)"
        case .integer: return "an integer\(multipleText)"
        case .number(let minimum, let maximum):
            let from = minimum.map { " from \($0)" } ?? ""
            let to = maximum.map { " to \($0)" } ?? ""
            return "a number\(from)\(to)\(multipleText)"
        case .string(let rule): return rule.expectation
        case .choice(let values):
            return "one of " + values.map(\.text).joined(separator: " ")
        case .array(_, 0...Int.max, isSet: true): return "an array of different elements"
        case .array(_, let count, let isSet):
            return "an array\(count.text(isSet ? "different element" : "element"))"
        case .object: return "an object\(memberCount.text("member"))"
        case .anyOf:
            var seen: Set<String> = []
            let texts = components.alternatives(of: self).map { $0.expectation(components) }
            return texts.filter { seen.insert($0).inserted }.joined(separator: " or ")
        case .reference(let name): return components[name]?.expectation(components) ?? "a value"
        }
    }

    private var multipleText: String { divisor.map { ", a multiple of \($0)" } ?? "" }
}

/// A check of a value against the schemas of a contract.
private struct ContractCheck {
    let components: ContractComponents
    /// The outcomes by component and path.
    ///
    /// Alternatives refer to the same components. Without the outcomes, a value with n levels costs 2ⁿ checks.
    var outcomes: [ExactString: Result<JSONValue, ValueMismatch>] = [:]
    /// The choices between alternatives in which the check is.
    var choices = 0

    mutating func checked(
        _ value: JSONValue,
        _ schema: ContractSchema,
        _ path: String
    ) throws(ValueMismatch) -> JSONValue {
        func require(_ condition: Bool) throws(ValueMismatch) {
            if !condition { throw refusal(of: value, schema, path) }
        }
        switch schema.rule {
        case .any: return value
        case .null: try require(value.isNull)
        case .boolean: _ = try Self.decode(Bool.self, value, path)
        case .integer(let minimum, let maximum):
            let integer = try Self.integer(value, minimum, maximum, path)
            try require(schema.isMultiple(integer))
            return integer
        case .number(let minimum, let maximum):
            let number = try Self.decode(Double.self, value, path)
            try require(minimum.map { $0 <= number } ?? true)
            try require(maximum.map { number <= $0 } ?? true)
            try require(schema.isMultiple(value))
        case .string(let rule): try rule.check(value, path)
        case .choice(let values):
            guard let choice = values.first(where: { $0.value == value }) else {
                throw refusal(of: value, schema, path)
            }
            return choice.value
        case .array(let element, let count, let isSet):
            guard let elements = value.arrayValue, count.contains(elements.count),
                !isSet || Set(elements).count == elements.count
            else { throw refusal(of: value, schema, path) }
            var parts: [JSONValue] = []
            for (index, item) in elements.enumerated() {
                parts.append(try checked(item, element, "\(path)/\(index)"))
            }
            return .array(parts)
        case .object(let properties, let others):
            guard let members = value.objectValue, schema.memberCount.contains(members.count) else {
                throw refusal(of: value, schema, path)
            }
            return try object(members, properties, others, path)
        case .anyOf: return try anyOf(value, schema, path)
        case .reference(let name): return try component(name, value, path)
        }
        return value
    }

    private mutating func component(
        _ name: String,
        _ value: JSONValue,
        _ path: String
    ) throws(ValueMismatch) -> JSONValue {
        guard let schema = components[name] else { return value }
        guard choices > 0 else { return try checked(value, schema, path) }
        let key = ExactString("\(name) \(path)")
        if let outcome = outcomes[key] { return try outcome.get() }
        let outcome: Result<JSONValue, ValueMismatch>
        do {
            outcome = .success(try checked(value, schema, path))
        } catch {
            outcome = .failure(error)
        }
        outcomes[key] = outcome
        return try outcome.get()
    }

    private mutating func object(
        _ members: JSONObject,
        _ properties: [ContractSchema.Property],
        _ others: ContractSchema?,
        _ path: String
    ) throws(ValueMismatch) -> JSONValue {
        // A misspelt name explains a missing member, so the host reports it first.
        if others == nil { try Self.refuseUnknownMember(of: members, properties, path) }
        var parts: JSONObject = [:]
        for property in properties {
            let pointer = path + ValueMismatch.step(property.name)
            if let member = members[property.name] {
                parts[property.name] = try checked(member, property.schema, pointer)
            } else if property.isRequired {
                let expected = property.schema.expectation(components)
                throw ValueMismatch(path: pointer, expected: expected, found: ValueMismatch.nothing)
            }
        }
        let named = Set(properties.map { ExactString($0.name) })
        for name in members.keys.sorted() where !named.contains(ExactString(name)) {
            guard let member = members[name], let others else { continue }
            parts[name] = try checked(member, others, path + ValueMismatch.step(name))
        }
        return .object(parts)
    }

    private static func refuseUnknownMember(
        of members: JSONObject,
        _ properties: [ContractSchema.Property],
        _ path: String
    ) throws(ValueMismatch) {
        let names = properties.map(\.name)
        guard let unknown = members.first(where: { !names.containsExactly($0.key) }) else { return }
        let found = ValueMismatch.describe(unknown.value)
        var refusal = ValueMismatch(
            path: path + ValueMismatch.step(unknown.key),
            expected: UnknownMember.expected(names),
            found: found
        )
        refusal.unknown = UnknownMember(name: unknown.key, object: path, found: found, known: names)
        throw refusal
    }

    private mutating func anyOf(
        _ value: JSONValue,
        _ schema: ContractSchema,
        _ path: String
    ) throws(ValueMismatch) -> JSONValue {
        var errors: [ValueMismatch] = []
        let alternatives = components.alternatives(of: schema)
            .filter { !components.resolved($0).isNull || value.isNull }
        choices += alternatives.count > 1 ? 1 : 0
        defer { choices -= alternatives.count > 1 ? 1 : 0 }
        for alternative in alternatives {
            do {
                return try checked(value, alternative, path)
            } catch {
                errors.append(error)
            }
        }
        // A value that may be null has one alternative, whose error says more.
        if errors.count == 1, let error = errors.first { throw error }
        throw refusal(of: value, schema, path)
    }

    private static func integer(
        _ value: JSONValue,
        _ minimum: Int128?,
        _ maximum: Int128?,
        _ path: String
    ) throws(ValueMismatch) -> JSONValue {
        let number: Int128
        if (maximum ?? 0) > Int128(Int64.max) || maximum == nil && (minimum ?? -1) >= 0 {
            number = Int128(try decode(UInt64.self, value, path))
        } else {
            number = Int128(try decode(Int64.self, value, path))
        }
        let (low, high) = (minimum ?? Int128(Int64.min), maximum ?? Int128(UInt64.max))
        guard low <= number, number <= high else {
            let expected = "an integer from \(low) to \(maximum ?? Int128(Int64.max))"
            let found = ValueMismatch.describe(value)
            throw ValueMismatch(path: path, expected: expected, found: found)
        }
        return .number("\(number)")
    }

    /// Decodes a value as the host decodes a value of the type.
    static func decode<Value: Decodable>(
        _ type: Value.Type,
        _ value: JSONValue,
        _ path: String
    ) throws(ValueMismatch) -> Value {
        let decoded = value.text.withUnsafeBytes { text in
            Result { () throws(ValueMismatch) in
                try JSONValueDecoder.decode(type, from: text, path: path)
            }
        }
        return try decoded.get()
    }

    private func refusal(of value: JSONValue, _ schema: ContractSchema, _ path: String) -> ValueMismatch {
        let expected = schema.expectation(components)
        return ValueMismatch(path: path, expected: expected, found: ValueMismatch.describe(value))
    }
}

extension ContractSchema.StringRule {
    fileprivate func check(_ value: JSONValue, _ path: String) throws(ValueMismatch) {
        switch (format, contentEncoding) {
        case ("date-time", _): _ = try ContractCheck.decode(Date.self, value, path)
        case ("uuid", _): _ = try ContractCheck.decode(UUID.self, value, path)
        case ("uri", _): _ = try ContractCheck.decode(URL.self, value, path)
        case ("decimal", _): _ = try ContractCheck.decode(Decimal.self, value, path)
        case ("byte", _), (_, "base64"): _ = try ContractCheck.decode(Data.self, value, path)
        default: break
        }
        let text = try ContractCheck.decode(String.self, value, path)
        // JSON Schema counts the code points, not the characters of a reader. The start reports a pattern that is not
        // checked.
        guard length.contains(text.unicodeScalars.count),
            pattern.flatMap({ try? TextPattern($0) })?.occurs(in: text) != false
        else { throw ValueMismatch(path: path, expected: expectation, found: ValueMismatch.describe(value)) }
    }

    fileprivate var expectation: String {
        switch (format, contentEncoding) {
        case ("date-time", _): "a date as in 2026-01-31T12:00:00Z"
        case ("byte", _), (_, "base64"): "a string in base64"
        default: "a string\(length.text("character"))\(pattern.map { " that matches \($0)" } ?? "")"
        }
    }
}

extension ClosedRange<Int> {
    /// Describes how many units a value may have, such as ` of 2 to 3 characters`; empty without a bound.
    fileprivate func text(_ unit: String) -> String {
        ValueMismatch.count(
            of: unit,
            from: lowerBound == 0 ? nil : "\(lowerBound)",
            to: upperBound == .max ? nil : "\(upperBound)"
        )
    }
}

extension ContractComponents {
    /// Returns the schemas of which a part of a value has one.
    ///
    /// - Parameters:
    ///   - pointer: the place of the part in the value.
    ///   - schema: the schema of the value.
    /// - Returns: The schemas; nil if the contract does not describe the part.
    /// - Throws: `ValueMismatch` if no value of the schema has such a part.
    package func schemas(
        at pointer: JSONPointer,
        of schema: ContractSchema
    ) throws(ValueMismatch) -> [ContractSchema]? {
        var schemas = [schema]
        var path = JSONPointer(tokens: [])
        for token in pointer.tokens {
            var parts: [ContractSchema] = []
            var names: [String] = []
            for schema in alternatives(of: schemas) {
                switch resolved(schema).rule {
                case .any, .reference: return nil
                case .array(let element, _, _): if UInt(token) != nil { parts.append(element) }
                case .object(let properties, let others):
                    let property = properties.first { $0.name.isExactly(token) }
                    if let part = property?.schema ?? others { parts.append(part) }
                    names += properties.map(\.name)
                case .null, .boolean, .integer, .number, .string, .choice, .anyOf: break
                }
            }
            let object = path.description
            path = path.appending(token)
            guard !parts.isEmpty else {
                var mismatch = ValueMismatch(
                    path: path.description,
                    expected: UnknownMember.expected(names),
                    found: token
                )
                mismatch.unknown = UnknownMember(name: token, object: object, found: token, known: names)
                throw mismatch
            }
            schemas = parts
        }
        return schemas
    }
}
