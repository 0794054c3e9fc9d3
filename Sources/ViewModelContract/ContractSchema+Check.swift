internal import FoundationEssentials
package import JSONRPC
import TextPatterns
package import ViewModelProtocol

/// The check of values with a JSON Schema that the host itself has made.
///
/// A schema that cannot be read, such as one with an empty range, admits no value.
package final class ValueCheck: Sendable {
    private let contents: Result<(schema: ContractSchema, components: ContractComponents), ContractFault>
    /// The range if all values are integers, or nil.
    package let integers: ClosedRange<Int>?

    /// Creates a check with the components to which the schema may refer.
    package init(_ schema: JSONValue, _ components: [(name: String, schema: JSONValue)]) {
        let nodes = components.map { (name: $0.name, node: ContractNode($0.schema)) }
        let reading = SchemaReading(nodes)
        contents = Result { () throws(ContractFault) in
            let read = try nodes.map { name, node throws(ContractFault) in (name, try ContractSchema(node, reading)) }
            return (try ContractSchema(ContractNode(schema), reading), ContractComponents(read))
        }
        integers =
            if case .success(let contents) = contents, case .integer(let minimum, let maximum) = contents.schema.rule {
                Int(clamping: minimum ?? .min)...Int(clamping: maximum ?? .max)
            } else {
                nil
            }
    }

    /// A value that is made up (``ContractSchema/standardValue(_:)``), or null for a schema with a fault.
    package var standardValue: JSONValue {
        guard case .success(let contents) = contents else { return .null }
        return contents.schema.standardValue(contents.components)
    }

    /// Checks a value.
    ///
    /// - Throws: `ValueMismatch` for the first part that does not fit.
    package func check(_ value: JSONValue) throws(ValueMismatch) {
        switch contents {
        case .success(let contents): try contents.schema.check(value, contents.components)
        case .failure(let fault):
            let expected = "no value, because the schema has a fault: \(fault.message)"
            throw ValueMismatch(expected: expected, found: ValueMismatch.describe(value))
        }
    }
}

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
        return try Result { () throws(CheckFailure) in try check.checked(value, self, "") }.mapError(\.mismatch).get()
    }

    fileprivate func isMultiple(_ value: JSONValue) -> Bool {
        guard let divisor, case .number(let text) = value else { return true }
        let (number, unit) = (DecimalText(text), DecimalText(divisor))
        guard !number.digits.isEmpty else { return true }
        // The digits do not end with a zero, so that those behind the last digit of the unit are a fraction of it.
        guard number.exponent >= unit.exponent, unit.digits.count <= 36,
            let size = UInt128(String(decoding: unit.digits, as: UTF8.self))
        else { return false }
        // More zeros add no factor of 2 or 5 that a number of 128 bits has.
        let zeros = repeatElement(UInt8(ascii: "0"), count: min(number.exponent - unit.exponent, 128))
        return (number.digits + zeros).reduce(UInt128(0)) { ($0 * 10 + UInt128($1 - UInt8(ascii: "0"))) % size } == 0
    }

    /// Describes the values of the schema, for an error.
    func expectation(_ components: ContractComponents) -> String {
        switch rule {
        case .any: return "a value"
        case .null: return "null"
        case .boolean: return "true or false"
        case .integer(let minimum, let maximum): return "an integer\(range(minimum, maximum))\(multipleText)"
        case .number(let minimum, let maximum): return "a number\(range(minimum, maximum))\(multipleText)"
        case .string(let rule):
            switch rule.format {
            case "date-time": return "a date as in 2026-01-31T12:00:00Z"
            case "byte": return "a string in base64"
            case "decimal" where rule.minimum != nil || rule.maximum != nil:
                return "a number\(range(rule.minimum, rule.maximum))"
            default:
                let count = count(of: "character", "Length", atMost: rule.longestText)
                return "a string\(count)\(rule.pattern.map { " that matches \($0)" } ?? "")"
            }
        case .choice(let values):
            return "one of " + values.map(\.text).joined(separator: " ")
        case .array(_, 0...Int.max, isSet: true): return "an array of different elements"
        case .array(_, _, let isSet): return "an array\(count(of: isSet ? "different element" : "element", "Items"))"
        case .object: return "an object\(count(of: "member", "Properties"))"
        case .anyOf:
            var seen: Set<String> = []
            let texts = components.alternatives(of: self).map { $0.expectation(components) }
            return texts.filter { seen.insert($0).inserted }.joined(separator: " or ")
        case .reference(let name): return components[name]?.expectation(components) ?? "a value"
        }
    }

    private var multipleText: String { divisor.map { ", a multiple of \($0)" } ?? "" }

    /// Describes a range as the schema has it; an exclusive bound by the next number inside.
    private func range(_ minimum: (some CustomStringConvertible)?, _ maximum: (some CustomStringConvertible)?) -> String
    {
        let least = node["minimum"]?.json.description ?? minimum?.description
        let most = node["maximum"]?.json.description ?? maximum?.description
        return switch (least, most) {
        case (let least?, let most?): " from \(least) to \(most)"
        case (let least?, nil): " of \(least) or more"
        case (nil, let most?): " of at most \(most)"
        case (nil, nil): ""
        }
    }

    /// Describes how many units a value may have, such as ` of 2 to 3 characters`; empty without a bound.
    private func count(of unit: String, _ keyword: String, atMost limit: Int? = nil) -> String {
        let most = limit.map { "\($0)" } ?? node["max\(keyword)"]?.json.description
        return ValueMismatch.count(of: unit, from: node["min\(keyword)"]?.json.description, to: most)
    }
}

/// The refusal of a value by a check.
private struct CheckFailure: Error {
    let mismatch: ValueMismatch
    /// Whether the value is of the expected form, and out of its bounds only.
    var isOutOfBounds = false
}

/// A check of a value against the schemas of a contract.
private struct ContractCheck {
    let components: ContractComponents
    /// The outcomes by component and path.
    ///
    /// Alternatives refer to the same components. Without the outcomes, a value with n levels costs 2ⁿ checks.
    var outcomes: [ExactString: Result<JSONValue, CheckFailure>] = [:]
    /// The choices between alternatives in which the check is.
    var choices = 0

    mutating func checked(
        _ value: JSONValue,
        _ schema: ContractSchema,
        _ path: String
    ) throws(CheckFailure) -> JSONValue {
        func require(_ condition: Bool, isBound: Bool = false) throws(CheckFailure) {
            if !condition { throw refusal(of: value, schema, path, isOutOfBounds: isBound) }
        }
        switch schema.rule {
        case .any: return value
        case .null: try require(value.isNull)
        case .boolean: _ = try Self.decode(Bool.self, value, path)
        case .integer(let minimum, let maximum):
            let isUnsigned = (maximum ?? 0) > Int128(Int64.max) || maximum == nil && (minimum ?? -1) >= 0
            let number =
                schema.format != "int64" && isUnsigned
                ? Int128(try Self.decode(UInt64.self, value, path)) : Int128(try Self.decode(Int64.self, value, path))
            try require(minimum ?? number <= number && number <= maximum ?? number, isBound: true)
            let integer = JSONValue.number("\(number)")
            try require(schema.isMultiple(integer))
            return integer
        case .number(let minimum, let maximum):
            let number = try Self.decode(Double.self, value, path)
            try require(minimum ?? number <= number && number <= maximum ?? number, isBound: true)
            try require(schema.isMultiple(value))
        case .string(let rule): try require(rule.admits(try Self.text(value, rule, path)), isBound: true)
        case .choice(let values):
            guard let choice = values.first(where: { $0.value == value }) else {
                throw refusal(of: value, schema, path)
            }
            return choice.value
        case .array(let element, let count, let isSet):
            guard let elements = value.arrayValue else { throw refusal(of: value, schema, path) }
            try require(count.contains(elements.count), isBound: true)
            try require(!isSet || Set(elements).count == elements.count)
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
    ) throws(CheckFailure) -> JSONValue {
        guard let schema = components[name] else { return value }
        guard choices > 0 else { return try checked(value, schema, path) }
        let key = ExactString("\(name) \(path)")
        if let outcome = outcomes[key] { return try outcome.get() }
        let outcome = Result { () throws(CheckFailure) in try checked(value, schema, path) }
        outcomes[key] = outcome
        return try outcome.get()
    }

    private mutating func object(
        _ members: JSONObject,
        _ properties: [ContractSchema.Property],
        _ others: ContractSchema?,
        _ path: String
    ) throws(CheckFailure) -> JSONValue {
        // A misspelt name explains a missing member, so the host reports it first.
        if others == nil { try Self.refuseUnknownMember(of: members, properties, path) }
        var parts: JSONObject = [:]
        for property in properties {
            let pointer = path + ValueMismatch.step(property.name)
            if let member = members[property.name] {
                parts[property.name] = try checked(member, property.schema, pointer)
            } else if property.isRequired {
                let expected = property.schema.expectation(components)
                throw CheckFailure(
                    mismatch: ValueMismatch(path: pointer, expected: expected, found: ValueMismatch.nothing)
                )
            }
        }
        guard let others else { return .object(parts) }
        let named = Set(properties.map { ExactString($0.name) })
        for name in members.keys.sorted() where !named.contains(ExactString(name)) {
            guard let member = members[name] else { continue }
            parts[name] = try checked(member, others, path + ValueMismatch.step(name))
        }
        return .object(parts)
    }

    private static func refuseUnknownMember(
        of members: JSONObject,
        _ properties: [ContractSchema.Property],
        _ path: String
    ) throws(CheckFailure) {
        let names = properties.map(\.name)
        guard let unknown = members.first(where: { !names.containsExactly($0.key) }) else { return }
        let found = ValueMismatch.describe(unknown.value)
        let member = UnknownMember(name: unknown.key, object: path, found: found, known: names)
        throw CheckFailure(mismatch: ValueMismatch(unknown: member))
    }

    private mutating func anyOf(
        _ value: JSONValue,
        _ schema: ContractSchema,
        _ path: String
    ) throws(CheckFailure) -> JSONValue {
        var errors: [CheckFailure] = []
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
        // A value that may be null has one alternative, whose error says more. So does that of the alternative whose form the
        // value has.
        if let error = errors.count == 1 ? errors.first : errors.first(where: \.isOutOfBounds) { throw error }
        throw refusal(of: value, schema, path)
    }

    /// Returns the text of a string whose format the host decodes.
    private static func text(
        _ value: JSONValue,
        _ rule: ContractSchema.StringRule,
        _ path: String
    ) throws(CheckFailure) -> String {
        switch rule.format {
        case "date-time": _ = try decode(Date.self, value, path)
        case "uuid": _ = try decode(UUID.self, value, path)
        case "uri": _ = try decode(URL.self, value, path)
        case "decimal": _ = try decode(Decimal.self, value, path)
        case "byte": _ = try decode(Data.self, value, path)
        default: break
        }
        if case .string(let text) = value { return text }
        return try decode(String.self, value, path)
    }

    /// Decodes a value as the host decodes a value of the type.
    private static func decode<Value: Decodable>(
        _ type: Value.Type,
        _ value: JSONValue,
        _ path: String
    ) throws(CheckFailure) -> Value {
        let decoded = value.text.withUnsafeBytes { text in
            Result { () throws(ValueMismatch) in
                try JSONValueDecoder.decode(type, from: text, path: path)
            }
        }
        return try decoded.mapError { CheckFailure(mismatch: $0) }.get()
    }

    private func refusal(
        of value: JSONValue,
        _ schema: ContractSchema,
        _ path: String,
        isOutOfBounds: Bool = false
    ) -> CheckFailure {
        let expected = schema.expectation(components)
        let mismatch = ValueMismatch(path: path, expected: expected, found: ValueMismatch.describe(value))
        return CheckFailure(mismatch: mismatch, isOutOfBounds: isOutOfBounds)
    }
}

extension ContractSchema.StringRule {
    /// Returns whether a text of the format is within the bounds.
    fileprivate func admits(_ text: String) -> Bool {
        if format == "decimal", let number = Double(text) {
            guard minimum ?? number <= number, number <= maximum ?? number else { return false }
        }
        // JSON Schema counts the code points, not the characters of a reader. The start reports a pattern that is not
        // checked.
        return length.contains(text.unicodeScalars.count) && search?.occurs(in: text) != false
    }

    /// The number of code points up to which a text is searched, if a message can have a longer one within the bounds.
    fileprivate var longestText: Int? {
        search.map(\.longestText).flatMap { $0 < min(length.upperBound, 0x10_0000) ? $0 : nil }
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
            guard !parts.isEmpty else {
                let member = UnknownMember(name: token, object: path.description, found: token, known: names)
                throw ValueMismatch(unknown: member)
            }
            path = path.appending(token)
            schemas = parts
        }
        return schemas
    }
}
