import JSONRPC
import ViewModelContract
import ViewModelKit
import ViewModelProtocol

/// A value of a mocked member, or a row of a mocked list.
struct MockValue: Schemable, Equatable, Identifiable, Sendable {
    let json: JSONValue

    init(_ json: JSONValue) {
        self.json = json
    }

    /// The member `id` of a row.
    var id: JSONValue { json["id"] ?? .null }

    /// Any value.
    ///
    /// The contract has the schema of the member, which the mock checks itself.
    static var schema: Schema { .any }

    init(from decoder: any Decoder) throws {
        json = try JSONValue(from: decoder)
    }

    func encode(to encoder: any Encoder) throws {
        try json.encode(to: encoder)
    }

    /// The rows of a list.
    static func rows(_ list: JSONValue) -> [MockValue] { (list.arrayValue ?? []).map(MockValue.init) }

    /// Returns whether no two rows of a list have the same id.
    static func haveUniqueIDs(_ list: JSONValue) -> Bool {
        let rows = rows(list)
        return Set(rows.map(\.id)).count == rows.count
    }
}

extension KeyedDecodingContainer {
    /// Decodes a member that may be null, which is not the same as a missing one; synthesised coding calls this.
    func decodeIfPresent(_ type: MockValue.Type, forKey key: Key) throws -> MockValue? {
        contains(key) ? try decode(type, forKey: key) : nil
    }
}
