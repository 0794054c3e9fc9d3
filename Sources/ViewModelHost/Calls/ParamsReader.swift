import ViewModelKit
import ViewModelProtocol

/// The parts of one call's params.
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
    /// The second element of an array.
    private var second: Bytes?
    /// Whether an object has a member that is neither `value` nor `_meta`.
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
                if value != nil, second == nil { second = text.part(range) }
                value = text.part(range)
            }
        }
    }

    /// The bytes of the params that count for the user.
    ///
    /// The params of an action count while it executes. Those of an input count until its next call.
    var heldBytes: Int { HeldBytes.counted(text?.count ?? 0) }

    /// Returns the options of the call, or nil if the client sent no `_meta`.
    func readMeta() throws(ProtocolError) -> Meta? {
        guard let meta else { return nil }
        do {
            return try JSONValueDecoder.decode(Meta.self, from: meta, path: "/\(Meta.member)")
        } catch {
            throw ProtocolError(error) { _ in nil }
        }
    }

    /// The text of params by name.
    ///
    /// An empty array and missing params count as an empty object.
    var object: Bytes { (isObject || value != nil ? text : nil) ?? Self.emptyObject }

    /// Decodes params by name.
    func object<Value: Decodable>(_ type: Value.Type) throws(ValueMismatch) -> Value {
        try JSONValueDecoder.decode(type, from: object, ignoring: Self.ignored)
    }

    /// Returns the value of a member in the params.
    ///
    /// - Parameter shape: the schema of the member's value.
    /// - Returns: the value; an empty object if the member has none.
    /// - Throws: `ValueMismatch` if there is no value, more than one, or one for a member without a value.
    func value(as shape: MemberShape) throws(ValueMismatch) -> SentValue {
        let reading = shape.reading
        guard reading.takesValue else {
            try requireNoParams()
            return SentValue(Self.emptyObject, at: "", as: reading)
        }
        guard !reading.isObject else {
            return SentValue(object, at: "", ignoring: Self.ignored, as: reading)
        }
        if let second {
            throw ValueMismatch(path: "/1", expected: "one value", found: ValueMismatch.describe(second))
        }
        if let text, hasMore { throw Self.unknownMember(of: text, known: "value") }
        guard let value else {
            let expected = "a value, as {\"value\": …} or […]"
            throw ValueMismatch(path: "/value", expected: expected, found: ValueMismatch.nothing)
        }
        return SentValue(value, at: valuePath, as: reading)
    }

    /// The JSON Pointer of a value that is not an object.
    private var valuePath: String { isArray ? "/0" : "/value" }

    /// Throws if there are params, for a member without a value.
    private func requireNoParams() throws(ValueMismatch) {
        guard let text else { return }
        if isArray, let value {
            throw ValueMismatch(path: "/0", expected: "no params", found: ValueMismatch.describe(value))
        }
        if value != nil || hasMore { throw Self.unknownMember(of: text, known: nil) }
    }

    /// Returns the error by which a call is answered whose member threw `error`.
    ///
    /// - Parameters:
    ///   - error: the error of ``value(as:)`` or of the member.
    ///   - shape: the schema of the member's value.
    ///   - type: the type of the instance.
    ///   - isAwaited: whether the error is answered.
    /// - Returns: an error with the path of an invalid value in the params; any other error as it is.
    func located(
        _ error: any Error,
        in shape: MemberShape,
        of type: HostedType,
        isAwaited: Bool
    ) -> any Error {
        let reading = shape.reading
        let path = reading.takesValue && !reading.isObject ? valuePath : ""
        switch error {
        case let invalid as InvalidValue: return ProtocolError(invalid, at: invalid == .reusedKey ? "" : path)
        case let mismatch as ValueMismatch:
            let error = ProtocolError(mismatch, isAwaited: isAwaited, in: path) {
                shape.schema?.memberNames(at: $0)
            }
            // What is sent to a wrong place may be the secret of another member.
            let isMisplaced = mismatch.unknown != nil || !reading.takesValue
            return reading.isSecret || (isMisplaced && type.hasSecrets) ? error.redacted : error
        default: return error
        }
    }

    private static let ignored: Set<String> = [Meta.member]

    private static var emptyObject: Bytes {
        let text: StaticString = "{}"
        return Bytes(start: text.utf8Start, count: text.utf8CodeUnitCount)
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
}
