// The methods use JSON-RPC's types, so that every importer needs both modules.
@_exported public import JSONRPC

/// A method of the protocol: a request with typed params and a typed result.
///
/// Each method is a type in its own file, with its contract in the doc comment. The types have no instances. They
/// connect a name with the params and the result on the wire.
public protocol ProtocolMethod: Sendable {
    /// The params that the caller sends, always by name.
    associatedtype Params: Codable & Equatable & Sendable
    /// The result that the daemon returns on success.
    associatedtype Result: Codable & Equatable & Sendable

    /// The method's name on the wire, for example `session.attach`.
    static var name: String { get }
}

/// A method that the daemon carries out, with the data for `rpc.discover` and `docs/protocol.md`.
package protocol DescribedMethod: ProtocolMethod {
    /// What the method does, in one sentence.
    static var summary: String { get }
    /// The smallest scope that may call the method.
    static var scope: AccessScope { get }
    /// The codes of the method's own errors.
    ///
    /// Every method can also fail with ``ErrorCode/common``.
    static var errors: [ErrorCode] { get }
    /// The schema of ``Params``.
    static var paramsSchema: WireSchema { get }
    /// The schema of ``Result``.
    static var resultSchema: WireSchema { get }
}

extension DescribedMethod where Params == NoParams {
    package static var paramsSchema: WireSchema { .object() }
}

extension DescribedMethod where Params == InstanceParams {
    package static var paramsSchema: WireSchema { InstanceParams.schema }
}

extension DescribedMethod where Result == NoResult {
    package static var resultSchema: WireSchema { .null }
}

/// A notification: a message without a reply, with the data for `rpc.discover` and `docs/protocol.md`.
package protocol DescribedNotification: Sendable {
    /// The params, always by name.
    associatedtype Params: Codable & Equatable & Sendable

    /// The notification's name on the wire, for example `viewModel.changed`.
    static var name: String { get }
    /// What the notification reports, in one sentence.
    static var summary: String { get }
    static var paramsSchema: WireSchema { get }
}

/// The params of a method without params: `{}` on the wire.
///
/// A member is an error, as an unknown member is for any other method.
public struct NoParams: Codable, Equatable, Sendable {
    /// Creates the empty params.
    public init() {}
}

/// The params of a method that needs only an instance.
public struct InstanceParams: Codable, Equatable, Sendable {
    /// The instance's id.
    ///
    /// Any string is valid; an unknown or malformed id is -32004.
    public var id: String

    /// Creates params.
    public init(id: String) {
        self.id = id
    }

    static var schema: WireSchema { .object(["id": .string]) }
}

/// The result of a method that returns no value: `null` on the wire.
public struct NoResult: Codable, Equatable, Sendable {
    /// Creates the empty result.
    public init() {}

    /// Reads any value, so that a later daemon can return one.
    public init(from decoder: any Decoder) throws {
        _ = try decoder.singleValueContainer().decode(JSONValue.self)
    }

    /// Writes `null`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encodeNil()
    }
}
