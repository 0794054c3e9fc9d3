import ViewModelKit
import ViewModelProtocol

/// A reader of one call's params as the type of a member.
///
/// If the member's type is an object, its members are the params, by name only. For any other type the params are
/// `{"value": V}` or `[V]`. A member without a value has no params (protocol, section 6).
struct ParamsReader {
    private let text: Bytes?
    private var isObject = false
    private var isArray = false
    private var meta: Bytes?
    /// The member `value` of an object, or the last element of an array.
    private var value: Bytes?
    /// Whether an object has a member that is neither `value` nor `_meta`, or an array more than one element.
    private var hasMore = false

    /// Finds the parts of the params, in one pass.
    ///
    /// It borrows their JSON text for the duration of the call. The text is an object or an array (JSON-RPC 2.0,
    /// section 4.2).
    init(_ text: Bytes?) {
        self.text = text
        guard let text else { return }
        // A pattern, because `==` of another module's enum is a call through its conformance.
        if case .object = JSONText.kind(of: text) {
            isObject = true
            JSONText.forEachMember(of: text) { name, range in
                if name == "value" {
                    value = text.part(range)
                } else if name == Meta.member {
                    meta = text.part(range)
                } else {
                    hasMore = true
                }
            }
        } else {
            isArray = true
            JSONText.forEachElement(of: text) { range in
                hasMore = value != nil
                value = text.part(range)
            }
        }
    }

    /// The bytes of the params that count for the user.
    ///
    /// The params of an action count while it executes. Those of an input count until its next call.
    var heldBytes: Int { HeldBytes.counted(text?.count ?? 0) }

    /// Reads `_meta` of params by name.
    func readMeta() throws(ProtocolError) -> Meta {
        guard let meta else { return Meta() }
        do {
            return try JSONValueDecoder.decode(Meta.self, from: meta, path: "/\(Meta.member)")
        } catch {
            throw .invalidParams(error)
        }
    }

    /// Reads params by name.
    ///
    /// An empty array and missing params count as an empty object.
    func object<Value: Decodable>(_ type: Value.Type) throws(ProtocolError) -> Value {
        do {
            if let text, isObject || value != nil {
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
        if let text, hasMore { throw isArray ? Self.severalValues(text) : Self.unknownMember(of: text, known: "value") }
        guard let value else {
            throw .invalidParams(path: "/value", expected: "a value, as {\"value\": …} or […]", found: "nothing")
        }
        do {
            return try JSONValueDecoder.decode(type, from: value, path: valuePath)
        } catch {
            throw .invalidParams(error)
        }
    }

    /// Throws if there are params, for a member without a value.
    func requireNoParams() throws(ProtocolError) {
        if isArray, value != nil {
            throw .invalidParams(path: "/0", expected: "no params", found: "a value")
        }
        if let text, value != nil || hasMore { throw Self.unknownMember(of: text, known: nil) }
    }

    private static let ignored: Set<String> = [Meta.member]

    private static func severalValues(_ array: Bytes) -> ProtocolError {
        var count = 0
        JSONText.forEachElement(of: array) { _ in count += 1 }
        return .invalidParams(path: "/1", expected: "one value", found: "\(count) values")
    }

    /// Returns the error for the first member that is neither `known` nor `_meta`.
    private static func unknownMember(of object: Bytes, known: String?) -> ProtocolError {
        var unknown: String?
        JSONText.forEachMember(of: object) { name, _ in
            if unknown == nil, name != Meta.member, name.description != known { unknown = name.description }
        }
        let name = unknown ?? ""
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
