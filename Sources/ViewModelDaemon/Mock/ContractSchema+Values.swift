import FoundationEssentials
import JSONRPC
import TextPatterns
import ViewModelContract
import ViewModelKit
import ViewModelProtocol

// MARK: - Checks

extension ContractSchema {
    /// Checks a value, as the host checks the values of a ViewModel's types.
    ///
    /// - Parameters:
    ///   - value: the value.
    ///   - components: the schemas that references name.
    ///   - pointer: the place of the value, for the error.
    /// - Returns: The value in one spelling: an integer is written without a fraction.
    /// - Throws: `InvalidValue` for the first part that does not fit.
    @discardableResult
    func check(
        _ value: JSONValue,
        _ components: ContractComponents,
        at pointer: JSONPointer = JSONPointer(tokens: [])
    ) throws(InvalidValue) -> JSONValue {
        switch rule {
        case .any: return value
        case .null:
            guard value.isNull else { throw refusal(value, components, pointer) }
            return value
        case .boolean:
            _ = try Self.decode(Bool.self, value, pointer)
            return value
        case .integer(let minimum, let maximum):
            let integer = try Self.integer(value, minimum, maximum, pointer)
            guard isMultiple(integer) else { throw refusal(value, components, pointer) }
            return integer
        case .number(let minimum, let maximum):
            let number = try Self.decode(Double.self, value, pointer)
            if let minimum, number < minimum { throw refusal(value, components, pointer) }
            if let maximum, number > maximum { throw refusal(value, components, pointer) }
            guard isMultiple(value) else { throw refusal(value, components, pointer) }
            return value
        case .string(let rule):
            try rule.check(value, pointer)
            return value
        case .choice(let values):
            guard let choice = values.first(where: { $0.value == value }) else {
                throw refusal(value, components, pointer)
            }
            return choice.value
        case .array(let element, let count, let isSet):
            guard let elements = value.arrayValue, count.contains(elements.count),
                !isSet || Set(elements).count == elements.count
            else { throw refusal(value, components, pointer) }
            var checked: [JSONValue] = []
            for (index, item) in elements.enumerated() {
                checked.append(try element.check(item, components, at: pointer.appending("\(index)")))
            }
            return .array(checked)
        case .object(let properties, let others):
            guard let members = value.objectValue, memberCount.contains(members.count) else {
                throw refusal(value, components, pointer)
            }
            return try Self.object(members, properties, others, components, pointer)
        case .anyOf: return try Self.anyOf(value, components.alternatives(of: self), self, components, pointer)
        case .reference(let name):
            return try components[name]?.check(value, components, at: pointer) ?? value
        }
    }

    private func isMultiple(_ value: JSONValue) -> Bool {
        guard let divisor, case .number(let text) = value else { return true }
        guard let number = ExactNumber(text), let unit = ExactNumber(divisor) else { return false }
        return number.isMultiple(of: unit)
    }

    private static func object(
        _ members: JSONObject,
        _ properties: [Property],
        _ others: ContractSchema?,
        _ components: ContractComponents,
        _ pointer: JSONPointer
    ) throws(InvalidValue) -> JSONValue {
        // A misspelt name explains a missing member, so the host reports it first.
        if others == nil { try refuseUnknownMember(of: members, properties, pointer) }
        var checked: JSONObject = [:]
        for property in properties {
            if let member = members[property.name] {
                checked[property.name] = try property.schema.check(
                    member,
                    components,
                    at: pointer.appending(property.name)
                )
            } else if property.isRequired {
                throw InvalidValue(
                    path: pointer.appending(property.name).description,
                    expected: property.schema.expectation(components),
                    found: "nothing"
                )
            }
        }
        let known = Set(properties.map { ExactString($0.name) })
        for name in members.keys.sorted() where !known.contains(ExactString(name)) {
            guard let member = members[name], let others else { continue }
            checked[name] = try others.check(member, components, at: pointer.appending(name))
        }
        return .object(checked)
    }

    private static func refuseUnknownMember(
        of members: JSONObject,
        _ properties: [Property],
        _ pointer: JSONPointer
    ) throws(InvalidValue) {
        let names = properties.map(\.name)
        guard let unknown = members.first(where: { !names.containsExactly($0.key) }) else { return }
        var refusal = InvalidValue(
            path: pointer.appending(unknown.key).description,
            expected: UnknownMember.expected(names),
            value: unknown.value,
            suggestions: names
        )
        refusal.misspelt = unknown.key
        throw refusal
    }

    private static func anyOf(
        _ value: JSONValue,
        _ alternatives: [ContractSchema],
        _ whole: ContractSchema,
        _ components: ContractComponents,
        _ pointer: JSONPointer
    ) throws(InvalidValue) -> JSONValue {
        var errors: [InvalidValue] = []
        for alternative in alternatives where !(components.resolved(alternative).isNull && !value.isNull) {
            do {
                return try alternative.check(value, components, at: pointer)
            } catch {
                errors.append(error)
            }
        }
        // A value that may be null has one alternative, whose error says more.
        if errors.count == 1, let error = errors.first { throw error }
        throw whole.refusal(value, components, pointer)
    }

    private static func integer(
        _ value: JSONValue,
        _ minimum: Int128?,
        _ maximum: Int128?,
        _ pointer: JSONPointer
    ) throws(InvalidValue) -> JSONValue {
        let number: Int128
        if (maximum ?? 0) > Int128(Int64.max) || maximum == nil && (minimum ?? -1) >= 0 {
            number = Int128(try decode(UInt64.self, value, pointer))
        } else {
            number = Int128(try decode(Int64.self, value, pointer))
        }
        let (low, high) = (minimum ?? Int128(Int64.min), maximum ?? Int128(UInt64.max))
        guard low <= number, number <= high else {
            let most = maximum ?? Int128(Int64.max)
            throw InvalidValue(
                path: pointer.description,
                expected: "an integer from \(low) to \(most)",
                found: ValueMismatch.describe(value)
            )
        }
        return .number("\(number)")
    }

    /// Decodes a value as the host decodes a value of the type.
    fileprivate static func decode<Value: Decodable>(
        _ type: Value.Type,
        _ value: JSONValue,
        _ pointer: JSONPointer
    ) throws(InvalidValue) -> Value {
        let decoded = value.text.withUnsafeBytes { text in
            Result { () throws(ValueMismatch) in
                try JSONValueDecoder.decode(type, from: text, path: pointer.description)
            }
        }
        do throws(ValueMismatch) {
            return try decoded.get()
        } catch {
            throw InvalidValue(path: error.path, expected: error.expected, found: error.found)
        }
    }

    private func refusal(
        _ value: JSONValue,
        _ components: ContractComponents,
        _ pointer: JSONPointer
    ) -> InvalidValue {
        InvalidValue(
            path: pointer.description,
            expected: expectation(components),
            found: ValueMismatch.describe(value)
        )
    }

    /// Returns the refusal of a scripted value, without what was found if that may be a secret.
    ///
    /// - Parameters:
    ///   - error: the refusal of the value alone.
    ///   - pointer: the place of the value in the script.
    ///   - components: the schemas that references name.
    /// - Returns: The refusal of the script.
    func refusal(_ error: InvalidValue, at pointer: String, _ components: ContractComponents) -> InvalidValue {
        let refusal = InvalidValue(path: pointer + error.path, expected: error.expected, found: error.found)
        return schema(components).isSecret ? refusal.redacted : refusal
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
            return "one of " + values.map { $0.value.stringValue ?? "\($0.value)" }.joined(separator: " ")
        case .array(_, 0...Int.max, isSet: true): return "an array of different elements"
        case .array(_, let count, let isSet):
            return "an array\(Self.text(of: count, isSet ? "different element" : "element"))"
        case .object: return "an object\(Self.text(of: memberCount, "member"))"
        case .anyOf:
            var seen: Set<String> = []
            let texts = components.alternatives(of: self).map { $0.expectation(components) }
            return texts.filter { seen.insert($0).inserted }.joined(separator: " or ")
        case .reference(let name): return components[name]?.expectation(components) ?? "a value"
        }
    }

    private var multipleText: String { divisor.map { ", a multiple of \($0)" } ?? "" }

    private static func text(of count: ClosedRange<Int>, _ unit: String) -> String {
        func units(_ number: Int) -> String { number == 1 ? unit : unit + "s" }
        return switch (count.lowerBound, count.upperBound) {
        case (0, Int.max): ""
        case (let least, Int.max): " of at least \(least) \(units(least))"
        case (0, let most): " of at most \(most) \(units(most))"
        case (let least, let most) where least == most: " of \(least) \(units(least))"
        case (let least, let most): " of \(least) to \(most) \(units(most))"
        }
    }
}

extension ContractSchema.StringRule {
    fileprivate func check(_ value: JSONValue, _ pointer: JSONPointer) throws(InvalidValue) {
        switch (format, contentEncoding) {
        case ("date-time", _): _ = try ContractSchema.decode(Date.self, value, pointer)
        case ("uuid", _): _ = try ContractSchema.decode(UUID.self, value, pointer)
        case ("uri", _): _ = try ContractSchema.decode(URL.self, value, pointer)
        case ("decimal", _): _ = try ContractSchema.decode(Decimal.self, value, pointer)
        case ("byte", _), (_, "base64"): _ = try ContractSchema.decode(Data.self, value, pointer)
        default: break
        }
        let text = try ContractSchema.decode(String.self, value, pointer)
        // JSON Schema counts the code points, not the characters of a reader. The start reports a pattern that is not
        // checked.
        guard length.contains(text.unicodeScalars.count),
            pattern.flatMap({ try? TextPattern($0) })?.occurs(in: text) != false
        else {
            throw InvalidValue(
                path: pointer.description,
                expected: expectation,
                found: ValueMismatch.describe(value)
            )
        }
    }

    fileprivate var expectation: String {
        switch (format, contentEncoding) {
        case ("date-time", _): return "a date as in 2026-01-31T12:00:00Z"
        case ("byte", _), (_, "base64"): return "a string in base64"
        default: break
        }
        var text = "a string"
        if length.upperBound < Int.max {
            text += " of \(length.lowerBound) to \(length.upperBound) characters"
        } else if length.lowerBound > 0 {
            text += " of at least \(length.lowerBound) \(length.lowerBound == 1 ? "character" : "characters")"
        }
        if let pattern { text += " that matches \(pattern)" }
        return text
    }

    /// A value that satisfies the format and the length.
    fileprivate var standardValue: String {
        switch (format, contentEncoding) {
        case ("date-time", _): return "1970-01-01T00:00:00Z"
        case ("uuid", _): return "00000000-0000-0000-0000-000000000000"
        case ("uri", _): return "about:blank"
        case ("decimal", _): return "0"
        default: return String(repeating: "x", count: min(length.lowerBound, ContractSchema.longestStandardValue))
        }
    }
}

// MARK: - Default values

extension ContractSchema {
    /// The most characters of a text, and elements of a list, that are made up.
    fileprivate static let longestStandardValue = 1000
    /// The most values in a value that is made up.
    private static let largestStandardValue = 100_000

    /// The example of the schema, or a value of its type: zero, an empty text, an empty list, the first case.
    ///
    /// The value of a pattern, of a list of different elements, of a schema that contains itself and of one whose text,
    /// list or whole is very long may not satisfy the schema. The reader of the contract asks for an example then.
    func standardValue(_ components: ContractComponents) -> JSONValue {
        var rest = Self.largestStandardValue
        return standardValue(components, depth: 0, &rest)
    }

    private func standardValue(_ components: ContractComponents, depth: Int, _ rest: inout Int) -> JSONValue {
        if let example { return example.json }
        guard depth < ContractNode.deepest, rest > 0 else { return .null }
        rest -= 1
        switch components.resolved(self).rule {
        case .any, .null, .reference: return .null
        case .boolean: return .bool(false)
        case .integer(let minimum, let maximum):
            let zero = Int128(0)
            return .number("\(max(minimum ?? zero, min(maximum ?? zero, zero)))")
        case .number(let minimum, let maximum):
            let number = max(minimum ?? 0, min(maximum ?? 0, 0))
            return .number(number == number.rounded() ? "\(Int128(number))" : "\(number)")
        case .string(let rule):
            let text = rule.standardValue
            rest -= text.utf8.count / 16
            return .string(text)
        case .choice(let values): return values.first?.value ?? .null
        case .array(let element, let count, _):
            guard count.lowerBound > 0 else { return .array([]) }
            let before = rest
            let value = element.standardValue(components, depth: depth + 1, &rest)
            let size = max(before - rest, 1)
            let copies = min(count.lowerBound, Self.longestStandardValue, 1 + rest / size)
            rest -= (copies - 1) * size
            return .array(Array(repeating: value, count: copies))
        case .object(let properties, _):
            return .object(
                JSONObject(
                    properties.filter(\.isRequired).map {
                        ($0.name, $0.schema.standardValue(components, depth: depth + 1, &rest))
                    }
                )
            )
        case .anyOf:
            let alternatives = components.alternatives(of: self)
            if alternatives.contains(where: { components.resolved($0).isNull }) { return .null }
            return alternatives.first?.standardValue(components, depth: depth + 1, &rest) ?? .null
        }
    }
}

// MARK: - Secrets

extension ContractSchema {
    /// Returns a checked value with `"<password>"` for each value of the format `password` that is not null.
    func redacted(_ value: JSONValue, _ components: ContractComponents) -> JSONValue {
        if format == "password", !value.isNull { return .string("<password>") }
        switch (rule, value) {
        case (.array(let element, _, _), .array(let elements)):
            return .array(elements.map { element.redacted($0, components) })
        case (.object(let properties, let others), .object(let members)):
            return .object(
                JSONObject(
                    members.map { name, member in
                        let schema = properties.first { $0.name.isExactly(name) }?.schema ?? others
                        return (name, schema?.redacted(member, components) ?? member)
                    }
                )
            )
        case (.anyOf, _):
            return components.alternatives(of: self).reduce(value) { $1.redacted($0, components) }
        case (.reference(let name), _): return components[name]?.redacted(value, components) ?? value
        default: return value
        }
    }
}
