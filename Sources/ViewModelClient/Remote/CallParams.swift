public import ViewModelProtocol

/// The params of a call by name, for generated code and for calls without a type.
///
/// ```swift
/// try await client.send(input: "lab.update", CallParams().adding("id", 1).adding("text", "x"))
/// ```
public struct CallParams: Encodable, Sendable {
    private var members: [(name: String, value: any Encodable & Sendable)] = []

    /// Creates params without members.
    public init() {}

    /// Returns the params with one more member; nil is left out.
    public func adding(_ name: String, _ value: (some Encodable & Sendable)?) -> CallParams {
        guard let value else { return self }
        return including(name, value)
    }

    /// Returns the params with one more member; nil is written as null.
    public func including(_ name: String, _ value: some Encodable & Sendable) -> CallParams {
        var params = self
        params.members.append((name, value))
        return params
    }

    /// Writes the members, in order.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: AnyKey.self)
        for member in members { try container.encode(member.value, forKey: AnyKey(stringValue: member.name)) }
    }
}

extension ViewModelClient {
    /// Creates an instance of a type, or finds the one with an id.
    ///
    /// If the session of the client begins anew, the client creates the instance again.
    ///
    /// - Parameters:
    ///   - type: The name of the type.
    ///   - id: The id, or nil for one that the daemon makes.
    ///   - arguments: The arguments. Those of an instance that exists are ignored.
    /// - Returns: The id of the instance.
    /// - Throws: ``ClientError``, `CancellationError`.
    public func createInstance(
        of type: String,
        id: String? = nil,
        _ arguments: some Encodable & Sendable = CallParams()
    ) async throws -> String {
        let params = CallParams().including("type", type).including("arguments", arguments)
        let result = try await request(ViewModelOpen.name, params: try Self.text(of: params.adding("id", id)))
        let opened = try Self.decode(ViewModelOpen.Result.self, result, of: ViewModelOpen.name).id
        openedInstances[opened] = try Self.text(of: params.including("id", opened))
        return opened
    }

    /// Closes an instance, with its actions, its children and its bindings.
    func closeInstance(_ id: String) async throws {
        _ = try await call(ViewModelClose.self, ViewModelClose.Params(id: id))
        openedInstances[id] = nil
    }
}

/// A value that is an object with one member, as Swift writes an enum with associated values; for generated code.
public struct TaggedValue: Decodable, Sendable {
    /// The whole value.
    public let json: JSONValue
    /// The name of the member; empty for a value of another form.
    public let tag: String

    /// Reads a value.
    public init(from decoder: any Decoder) throws {
        json = try JSONValue(from: decoder)
        tag = json.objectValue?.first?.key ?? ""
    }

    /// Returns the value of the member.
    ///
    /// - Throws: ``ClientError`` with ``ClientError/Code-swift.struct/unexpectedReply`` for a value of another form.
    public func decode<Value: Decodable>() throws -> Value {
        try ViewModelClient.decode(Value.self, (json[tag] ?? .null).text, of: tag)
    }

    /// Writes a value as an object with one member.
    public static func encode(_ value: some Encodable & Sendable, as tag: String, to encoder: any Encoder) throws {
        try CallParams().including(tag, value).encode(to: encoder)
    }
}
