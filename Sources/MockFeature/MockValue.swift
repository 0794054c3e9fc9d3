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

    /// Reads the value of a call and checks it against the contract.
    ///
    /// - Parameters:
    ///   - schema: the schema of the value, or nil if the member has none.
    ///   - reader: the reader of the call.
    ///   - components: the schemas that references name.
    /// - Returns: The value, or null if the member has none.
    /// - Throws: `InvalidValue`, or the reader's error.
    static func read(
        _ schema: ContractSchema?,
        from reader: any ValueReader,
        _ components: ContractComponents
    ) throws -> MockValue {
        guard let schema else { return MockValue(.null) }
        var value = try reader.read(MockValue.self).json
        if case .object(var members) = value, components.isObject(schema) {
            // The text of params by name still has the options of the call.
            members[Meta.member] = nil
            value = .object(members)
        }
        do throws(InvalidValue) {
            return MockValue(try schema.accept(value, components))
        } catch {
            throw components.hasSecrets(schema) ? error.redacted : error
        }
    }
}
