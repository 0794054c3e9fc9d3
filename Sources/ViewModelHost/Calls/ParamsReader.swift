import ViewModelKit
import ViewModelProtocol

/// The params of one call, read as the type that a member takes.
///
/// When the member's type is an object, its members are the params, by name only. For any other type they are
/// `{"value": V}` or `[V]`; for no value there are none (protocol, section 6).
struct ParamsReader {
    private let text: Bytes?
    private let kind: JSONKind

    /// Borrows the params' JSON text for the length of the call.
    init(_ text: Bytes?) {
        self.text = text
        kind = text.map { JSONText.kind(of: $0) } ?? .null
    }

    /// Params of so many bytes are not counted for the user.
    static var fewBytes: Int { 1024 }

    /// The bytes of the params that count for the user; 0 for the few of most calls.
    ///
    /// Those of an action count while it executes, those of an input until its next call.
    var heldBytes: Int {
        guard let text, text.count > Self.fewBytes else { return 0 }
        return text.count
    }

    /// What params by name note of the call itself (`_meta`).
    func meta() throws(ProtocolError) -> Meta {
        guard let text, kind == .object else { return Meta() }
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

    /// Reads params given by name; an empty array counts as none.
    func object<Value: Decodable>(_ type: Value.Type) throws(ProtocolError) -> Value {
        do {
            if let text, kind == .object || !isEmptyArray(text) {
                return try JSONValueDecoder.decode(type, from: text, ignoring: [Meta.member])
            }
            return try Self.withEmptyObject { (empty) throws(ValueMismatch) in
                try JSONValueDecoder.decode(type, from: empty)
            }
        } catch {
            throw .invalidParams(error)
        }
    }

    /// Where a value that is no object stands.
    var valuePath: String { kind == .array ? "/0" : "/value" }

    /// Reads a value that is no object.
    func value<Value: Decodable>(_ type: Value.Type) throws(ProtocolError) -> Value {
        guard let text else { throw Self.missing }
        var range: Range<Int>?
        if kind == .array {
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
                    unknown = name
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

    /// Refuses params where none are taken.
    func nothing() throws(ProtocolError) {
        guard let text else { return }
        if kind == .array {
            guard isEmptyArray(text) else {
                throw .invalidParams(path: "/0", expected: "no params", found: "a value")
            }
            return
        }
        var unknown: String?
        JSONText.forEachMember(of: text) { name, _ in
            if name != Meta.member, unknown == nil { unknown = name }
        }
        if let unknown { throw Self.unknownMember(unknown, known: nil) }
    }

    private func isEmptyArray(_ text: Bytes) -> Bool {
        guard kind == .array else { return false }
        var isEmpty = true
        JSONText.forEachElement(of: text) { _ in isEmpty = false }
        return isEmpty
    }

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

/// Reads the value of one input or action from its params; a session has one of these for all its calls.
final class MemberReader: ValueReader {
    @exclusivity(unchecked) private var params: ParamsReader?
    @exclusivity(unchecked) private var reading: ParameterReading?

    /// Begins to read the params of a call, which are borrowed for `body`.
    ///
    /// - Throws: what `body` throws; of a value that was refused, where it stood in the params, too. `SchemaError` when the
    ///   shape cannot be told.
    func read<Result>(_ params: ParamsReader, as shape: MemberShape, _ body: () throws -> Result) throws -> Result {
        let reading = try shape.reading()
        if !reading.takesValue { try params.nothing() }
        self.params = params
        self.reading = reading
        defer { self.params = nil }
        do {
            return try body()
        } catch let invalid as InvalidValue {
            throw ProtocolError(invalid, at: reading.takesValue && !reading.isObject ? params.valuePath : "")
        }
    }

    func read<Value: Decodable>(_ type: Value.Type) throws -> Value {
        guard let params, let reading else { fatalError("params are read while their call begins") }
        do throws(ProtocolError) {
            return try reading.isObject ? params.object(type) : params.value(type)
        } catch {
            throw reading.isSecret ? error.hidingWhatWasFound : error
        }
    }
}

/// Reads the arguments of `viewModel.open`.
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
