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
        try expect(Method.Params.self, has: method.paramsSchema.json)
        try expect(Method.Result.self, has: method.resultSchema.json)
    }

    private func expectParams<Notification: DescribedNotification>(of notification: Notification.Type) throws {
        try expect(Notification.Params.self, has: notification.paramsSchema.json)
    }

    /// The members that an older daemon does not send, and that a client therefore does not need.
    private static let later: Set = ["features", "limits"]

    /// Expects a type to have all members of the schema, to have no others, and to need those that are required.
    private func expect<Value: Codable>(_ type: Value.Type, has schema: JSONValue) throws {
        let example = Self.example(of: schema)
        #expect(try JSONValue(text: JSONWriter.text(of: read(type, example))) == example)
        for (name, member) in schema["properties"]?.objectValue ?? [:] {
            let rest = example.objectValue?.filter { $0.key != name } ?? [:]
            if schema["required"]?.arrayValue?.contains(.string(name)) != true || Self.later.contains(name) {
                #expect(throws: Never.self, "\(name)") { try read(type, .object(rest)) }
            } else if member["anyOf"] != nil {
                // A decoder does not distinguish null from an absent member.
            } else {
                #expect(throws: ValueMismatch.self, "\(name)") { try read(type, .object(rest)) }
            }
        }
    }

    /// A value with all members.
    private static func example(of schema: JSONValue) -> JSONValue {
        if let cases = schema["enum"] { return cases[0] ?? nil }
        if let members = schema["properties"]?.objectValue { return .object(members.mapValues { example(of: $0) }) }
        if let value = schema["additionalProperties"] { return ["a": example(of: value)] }
        // Only patches are arrays of any values.
        if let element = schema["items"] {
            let example = element == [:] ? ["op": "remove", "path": "/a"] : example(of: element)
            return .array(Array(repeating: example, count: schema["minItems"]?.intValue ?? 1))
        }
        if let value = schema["anyOf"]?[0] { return example(of: value) }
        return switch schema["type"] {
        case "null": nil
        case "boolean": true
        case "integer": 1
        default: schema["format"] == nil ? "a" : "2026-01-02T03:04:05Z"
        }
    }

    private func read<Value: Decodable>(_ type: Value.Type, _ value: JSONValue) throws -> Value {
        try JSONWriter.text(of: value).withUnsafeBytes { try JSONValueDecoder.decode(type, from: $0) }
    }
}
