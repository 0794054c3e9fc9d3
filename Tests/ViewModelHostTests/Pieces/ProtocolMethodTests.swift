import Foundation
import Testing
import ViewModelProtocol
import ViewModelTesting

@testable import ViewModelHost

/// The facts of the protocol's methods; with `WRITE_PROTOCOL=1` in the environment, the first test writes the tables of
/// `docs/protocol.md`.
@Suite struct ProtocolMethodTests {
    @Test func `the tables of the document say what the types say`() throws {
        let document = try String(contentsOf: ProtocolTables.url, encoding: .utf8)
        let begin = try #require(document.range(of: ProtocolTables.begin))
        let end = try #require(document[begin.upperBound...].range(of: ProtocolTables.end))
        let expected = document.replacingCharacters(
            in: begin.upperBound..<end.lowerBound,
            with: ProtocolTables.text
        )
        if ProcessInfo.processInfo.environment["WRITE_PROTOCOL"] == "1" {
            try Data(expected.utf8).write(to: ProtocolTables.url)
        } else {
            #expect(document == expected, "write the tables anew with WRITE_PROTOCOL=1")
        }
    }

    @Test(arguments: ProtocolMethods.all.map(\.type))
    func `a method reads and writes what its schemas say`(_ method: any DescribedMethod.Type) throws {
        try expectSchemas(of: method)
    }

    @Test(arguments: ProtocolMethods.notifications)
    func `a notification reads and writes what its schema says`(_ notification: any DescribedNotification.Type) throws {
        try expectParams(of: notification)
    }

    private func expectSchemas<Method: DescribedMethod>(of method: Method.Type) throws {
        try expect(Method.Params.self, has: method.paramsSchema)
        try expect(Method.Result.self, has: method.resultSchema)
    }

    private func expectParams<Notification: DescribedNotification>(of notification: Notification.Type) throws {
        try expect(Notification.Params.self, has: notification.paramsSchema)
    }

    /// The members that an older daemon does not send, and that a client therefore does not need.
    private static let later: Set = ["features", "limits"]

    /// Expects a type to have all members of the schema, to have no others, and to need those that are required.
    private func expect<Value: Codable>(_ type: Value.Type, has schema: WireSchema) throws {
        let example = schema.example
        #expect(try JSONValue(text: JSONWriter.text(of: read(type, example))) == example)
        guard case .object(let members) = schema else { return }
        for member in members {
            let rest = example.objectValue?.filter { $0.key != member.name } ?? [:]
            if !member.isRequired || Self.later.contains(member.name) {
                #expect(throws: Never.self, "\(member.name)") { try read(type, .object(rest)) }
            } else if case .optional = member.schema {
                // A decoder does not distinguish null from an absent member.
            } else {
                #expect(throws: ValueMismatch.self, "\(member.name)") { try read(type, .object(rest)) }
            }
        }
    }

    private func read<Value: Decodable>(_ type: Value.Type, _ value: JSONValue) throws -> Value {
        try JSONWriter.text(of: value).withUnsafeBytes { try JSONValueDecoder.decode(type, from: $0) }
    }
}

extension WireSchema {
    /// A value with all members.
    fileprivate var example: JSONValue {
        switch self {
        case .any: "a"
        case .null: .null
        case .boolean: true
        case .integer: 1
        case .string(let format): format == nil ? "a" : "2026-01-02T03:04:05Z"
        case .enumeration(let cases): .string(cases[0])
        // Only patches are arrays of any values.
        case .array(.any): [["op": "remove", "path": "/a"]]
        case .array(let element): [element.example]
        case .dictionary(let value): ["a": value.example]
        case .object(let members):
            .object(JSONObject(members.map { ($0.name, $0.schema.example) }))
        case .optional(let value): value.example
        }
    }
}
