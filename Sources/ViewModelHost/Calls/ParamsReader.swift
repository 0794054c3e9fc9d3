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
    func readMeta(isAwaited: Bool) throws(ProtocolError) -> Meta {
        guard let meta else { return Meta() }
        do {
            return try JSONValueDecoder.decode(Meta.self, from: meta, path: "/\(Meta.member)")
        } catch {
            throw ProtocolError(error, isAwaited: isAwaited) { nil }
        }
    }

    /// Reads params by name.
    ///
    /// An empty array and missing params count as an empty object.
    func object<Value: Decodable>(_ type: Value.Type) throws(ValueMismatch) -> Value {
        if let text, isObject || value != nil {
            return try JSONValueDecoder.decode(type, from: text, ignoring: Self.ignored)
        }
        return try Self.withEmptyObject { (empty) throws(ValueMismatch) in
            try JSONValueDecoder.decode(type, from: empty)
        }
    }

    /// The JSON Pointer of a value that is not an object.
    var valuePath: String { isArray ? "/0" : "/value" }

    /// Reads a value that is not an object.
    func value<Value: Decodable>(_ type: Value.Type) throws(ValueMismatch) -> Value {
        if let text, hasMore {
            throw isArray ? Self.severalValues(text) : Self.unknownMember(of: text, known: "value")
        }
        guard let value else {
            throw ValueMismatch(
                path: "/value",
                expected: "a value, as {\"value\": …} or […]",
                found: ValueMismatch.nothing
            )
        }
        return try JSONValueDecoder.decode(type, from: value, path: valuePath)
    }

    /// Checks the bounds in the value; `isObject` says whether its members are the params themselves.
    func check(_ bounds: BoundsCheck, isObject: Bool) throws(ProtocolError) {
        // Missing params are an object without members, which has no bounds. Members that occur twice have one value, as
        // for the decoder: the last.
        guard let text = isObject ? text : value, let json = try? JSONValue(parsing: text) else { return }
        do {
            try bounds.check(json)
        } catch {
            throw ProtocolError(error, at: isObject ? "" : valuePath)
        }
    }

    /// Throws if there are params, for a member without a value.
    func requireNoParams() throws(ValueMismatch) {
        guard let text else { return }
        if isArray, let value {
            throw ValueMismatch(path: "/0", expected: "no params", found: ValueMismatch.describe(value))
        }
        if value != nil || hasMore { throw Self.unknownMember(of: text, known: nil) }
    }

    private static let ignored: Set<String> = [Meta.member]

    private static func severalValues(_ array: Bytes) -> ValueMismatch {
        var second: Range<Int>?
        var count = 0
        JSONText.forEachElement(of: array) { range in
            count += 1
            if count == 2 { second = range }
        }
        let found = second.map { ValueMismatch.describe(array.part($0)) }
        return ValueMismatch(path: "/1", expected: "one value", found: found ?? ValueMismatch.nothing)
    }

    /// Returns the mismatch of the first member that is neither `known` nor `_meta`.
    private static func unknownMember(of object: Bytes, known: String?) -> ValueMismatch {
        var unknown = UnknownMember(name: "", object: "", found: ValueMismatch.nothing, known: known.map { [$0] } ?? [])
        var isFound = false
        JSONText.forEachMember(of: object) { name, value in
            guard !isFound, name != Meta.member, name.description != known else { return }
            isFound = true
            unknown.name = name.description
            unknown.found = ValueMismatch.describe(object.part(value))
        }
        let expected = known == nil ? "no params" : UnknownMember.expected(unknown.known)
        var mismatch = ValueMismatch(path: unknown.path, expected: expected, found: unknown.found)
        if known != nil { mismatch.unknown = unknown }
        return mismatch
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
        /// Without a reference count, as the shape lives as long as the call.
        let bounds: Unmanaged<BoundsCheck>?
    }

    @exclusivity(unchecked) private var call: Call?

    /// Params that do not fit their member.
    private struct Misfit: Error {
        let mismatch: ValueMismatch
    }

    /// Runs `body`, which reads the params of a call.
    ///
    /// The params are borrowed for the duration of `body`.
    ///
    /// - Parameters:
    ///   - params: the params.
    ///   - shape: the schema of the member's value.
    ///   - type: the type of the instance.
    ///   - isAwaited: whether an error is answered.
    ///   - body: calls the member.
    /// - Returns: the result of `body`.
    /// - Throws: Any error of `body`. An invalid value becomes an error with its path in the params.
    func read<Result>(
        _ params: ParamsReader,
        as shape: MemberShape,
        of type: HostedType,
        _ isAwaited: Bool,
        _ body: () throws -> Result
    ) throws -> Result {
        let reading = shape.reading
        call = Call(params: params, reading: reading, bounds: reading.isBounded ? shape.bounds : nil)
        defer { call = nil }
        let place = reading.takesValue && !reading.isObject ? params.valuePath : ""
        do {
            if !reading.takesValue {
                do { try params.requireNoParams() } catch { throw Misfit(mismatch: error) }
            }
            return try body()
        } catch let invalid as InvalidValue {
            throw ProtocolError(invalid, at: place)
        } catch let misfit as Misfit {
            let error = ProtocolError(misfit.mismatch, isAwaited: isAwaited, in: place) { shape.schema }
            // What is sent to a wrong place may be the secret of another member.
            let isMisplaced = misfit.mismatch.unknown != nil || !reading.takesValue
            throw reading.isSecret || (isMisplaced && type.hasSecrets) ? error.redacted : error
        }
    }

    func read<Value: Decodable>(_ type: Value.Type) throws -> Value {
        guard let call else { fatalError("params are read while their call begins") }
        let value: Value
        do throws(ValueMismatch) {
            value = try call.reading.isObject ? call.params.object(type) : call.params.value(type)
        } catch {
            throw Misfit(mismatch: error)
        }
        if let bounds = call.bounds, !bounds._withUnsafeGuaranteedRef({ $0.admits(value) }) {
            do {
                try call.params.check(bounds.takeUnretainedValue(), isObject: call.reading.isObject)
            } catch {
                throw call.reading.isSecret ? error.redacted : error
            }
        }
        return value
    }
}

extension BoundsCheck {
    /// Returns whether a decoded value is known to be within the bounds, without its JSON.
    fileprivate func admits<Value>(_ value: Value) -> Bool {
        guard Value.self == Int.self, let integers else { return false }
        return integers.contains(unsafeBitCast(value, to: Int.self))
    }
}

/// A reader of the arguments of `viewModel.open`.
final class ArgumentsReader: ValueReader {
    private let arguments: JSONValue
    private let shape: MemberShape?
    private let isAwaited: Bool

    /// Creates a reader.
    ///
    /// - Parameters:
    ///   - arguments: the arguments.
    ///   - shape: the schema of the arguments; nil if the type has none.
    ///   - isAwaited: whether an error is answered.
    init(_ arguments: JSONValue?, as shape: MemberShape?, isAwaited: Bool) {
        self.arguments = arguments ?? .object([:])
        self.shape = shape
        self.isAwaited = isAwaited
    }

    func read<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let path = "/arguments"
        var writer = JSONWriter()
        arguments.write(to: &writer)
        let value: Value
        do {
            value = try writer.bytes.withUnsafeBytes { bytes throws(ValueMismatch) in
                try JSONValueDecoder.decode(type, from: bytes, path: path)
            }
        } catch let mismatch as ValueMismatch {
            let error = ProtocolError(mismatch, isAwaited: isAwaited, in: path) { shape?.schema }
            throw shape?.reading.isSecret == true ? error.redacted : error
        }
        if let shape, shape.reading.isBounded, let bounds = shape.bounds?.takeUnretainedValue() {
            do {
                try bounds.check(arguments)
            } catch {
                let refusal = ProtocolError(error, at: "/arguments")
                throw shape.reading.isSecret ? refusal.redacted : refusal
            }
        }
        return value
    }
}
