import ViewModelKit
import ViewModelProtocol

/// A reader of one call's params as the type of a member.
///
/// If the member's type is an object, its members are the params, by name only. For any other type the params are
/// `{"value": V}` or `[V]`. A member without a value has no params (protocol, section 6).
struct ParamsReader {
    private let text: Bytes?
    private let kind: JSONKind

    /// Borrows the JSON text of the params for the duration of the call.
    init(_ text: Bytes?) {
        self.text = text
        kind = text.map { JSONText.kind(of: $0) } ?? .null
    }

    // Patterns, because `==` of another module's enum is a call through its conformance.
    private var isObject: Bool { if case .object = kind { true } else { false } }
    private var isArray: Bool { if case .array = kind { true } else { false } }

    /// The bytes of the params that count for the user.
    ///
    /// The params of an action count while it executes. Those of an input count until its next call.
    var heldBytes: Int { HeldBytes.counted(text?.count ?? 0) }

    /// Reads `_meta` of params by name.
    func meta() throws(ProtocolError) -> Meta {
        guard let text, isObject else { return Meta() }
        var range: Range<Int>?
        JSONText.forEachMember(of: text) { name, value in
            if name == Meta.member { range = value }
        }
        guard let range else { return Meta() }
        do {
            return try JSONValueDecoder.decode(Meta.self, from: text.part(range), path: "/\(Meta.member)")
        } catch {
            throw .invalidParams(error)
        }
    }

    /// Reads params by name.
    ///
    /// An empty array and missing params count as an empty object.
    func object<Value: Decodable>(_ type: Value.Type) throws(ProtocolError) -> Value {
        do {
            if let text, isObject || !isEmptyArray(text) {
                return try JSONValueDecoder.decode(type, from: text, ignoring: Self.ignored)
            }
            return try Self.withEmptyObject { (empty) throws(ValueMismatch) in
                try JSONValueDecoder.decode(type, from: empty)
            }
        } catch {
            throw .invalidParams(error)
        }
    }

    /// The JSON Pointer of a value that is not an object.
    var valuePath: String { isArray ? "/0" : "/value" }

    /// Reads a value that is not an object.
    func value<Value: Decodable>(_ type: Value.Type) throws(ProtocolError) -> Value {
        guard let text else { throw Self.missing }
        var range: Range<Int>?
        if isArray {
            var count = 0
            JSONText.forEachElement(of: text) { element in
                range = element
                count += 1
            }
            guard count <= 1 else {
                throw .invalidParams(path: "/1", expected: "one value", found: "\(count) values")
            }
        } else {
            var unknown: String?
            JSONText.forEachMember(of: text) { name, value in
                if name == "value" {
                    range = value
                } else if name != Meta.member, unknown == nil {
                    unknown = name.description
                }
            }
            if let unknown { throw Self.unknownMember(unknown, known: "value") }
        }
        guard let range else { throw Self.missing }
        do {
            return try JSONValueDecoder.decode(type, from: text.part(range), path: valuePath)
        } catch {
            throw .invalidParams(error)
        }
    }

    /// Throws if there are params, for a member without a value.
    func requireNoParams() throws(ProtocolError) {
        guard let text else { return }
        if isArray {
            guard isEmptyArray(text) else {
                throw .invalidParams(path: "/0", expected: "no params", found: "a value")
            }
            return
        }
        var unknown: String?
        JSONText.forEachMember(of: text) { name, _ in
            if name != Meta.member, unknown == nil { unknown = name.description }
        }
        if let unknown { throw Self.unknownMember(unknown, known: nil) }
    }

    private func isEmptyArray(_ text: Bytes) -> Bool {
        guard isArray else { return false }
        var isEmpty = true
        JSONText.forEachElement(of: text) { _ in isEmpty = false }
        return isEmpty
    }

    private static let ignored: Set<String> = [Meta.member]

    private static var missing: ProtocolError {
        .invalidParams(path: "/value", expected: "a value, as {\"value\": …} or […]", found: "nothing")
    }

    private static func unknownMember(_ name: String, known: String?) -> ProtocolError {
        let path = JSONPointer(tokens: [name]).description
        let expected = known.map { "no such member; only \($0)" } ?? "no params"
        return .invalidParams(path: path, expected: expected, found: name)
    }

    private static func withEmptyObject<Value>(
        _ body: (Bytes) throws(ValueMismatch) -> Value
    ) throws(ValueMismatch) -> Value {
        let text: StaticString = "{}"
        return try body(Bytes(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }
}

/// A reader of an input's or action's value from the params.
///
/// A session has one for all its calls.
final class CallParamsReader: ValueReader {
    /// The params of the call that begins, and how its member reads them.
    private struct Call {
        let params: ParamsReader
        let reading: ParameterReading
    }

    @exclusivity(unchecked) private var call: Call?

    /// Runs `body`, which reads the params of a call.
    ///
    /// The params are borrowed for the duration of `body`.
    ///
    /// - Throws: Any error of `body`. An invalid value becomes an error with its path in the params.
    func read<Result>(_ params: ParamsReader, as shape: MemberShape, _ body: () throws -> Result) throws -> Result {
        let reading = shape.reading
        if !reading.takesValue { try params.requireNoParams() }
        call = Call(params: params, reading: reading)
        defer { call = nil }
        do {
            return try body()
        } catch let invalid as InvalidValue {
            throw ProtocolError(invalid, at: reading.takesValue && !reading.isObject ? params.valuePath : "")
        }
    }

    func read<Value: Decodable>(_ type: Value.Type) throws -> Value {
        guard let call else { fatalError("params are read while their call begins") }
        do throws(ProtocolError) {
            return try call.reading.isObject ? call.params.object(type) : call.params.value(type)
        } catch {
            throw call.reading.isSecret ? error.redacted : error
        }
    }
}

/// A reader of the arguments of `viewModel.open`.
final class ArgumentsReader: ValueReader {
    private let arguments: JSONValue?

    init(_ arguments: JSONValue?) {
        self.arguments = arguments
    }

    func read<Value: Decodable>(_ type: Value.Type) throws -> Value {
        var writer = JSONWriter()
        (arguments ?? .object([:])).write(to: &writer)
        do {
            return try writer.bytes.withUnsafeBytes { bytes throws(ValueMismatch) in
                try JSONValueDecoder.decode(type, from: bytes, path: "/arguments")
            }
        } catch let mismatch as ValueMismatch {
            throw ProtocolError.invalidParams(mismatch)
        }
    }
}
