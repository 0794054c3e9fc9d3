import ArgumentParser
import Testing
import ViewModelClient

@testable import ViewModelCommands

@Suite struct MetaOptionsTests {
    private func params(_ text: String?, _ options: [String] = ["--deadline", "50", "--key", "k"]) throws -> JSONValue?
    {
        let meta = try MetaOptions.parse(options)
        return try meta.adding(to: text.map { Array($0.utf8) }).flatMap(JSONValue.init(text:))
    }

    @Test(arguments: [
        (nil, #"{"_meta":{"deadline":50,"key":"k"}}"#), ("[]", #"{"_meta":{"deadline":50,"key":"k"}}"#),
        (#"{"a":1}"#, #"{"a":1,"_meta":{"deadline":50,"key":"k"}}"#),
        ("[7]", #"{"value":7,"_meta":{"deadline":50,"key":"k"}}"#),
    ])
    func `the options are a member of the params`(text: String?, expected: String) throws {
        #expect(try params(text) == JSONValue(text: expected))
    }

    @Test func `without options the params stay as they are`() throws {
        #expect(try params("[1,2]", []) == JSONValue(text: "[1,2]"))
        #expect(try params(nil, []) == nil)
    }

    @Test(arguments: ["[1,2]", #"{"_meta":{}}"#])
    func `params that cannot have the member are refused`(text: String) {
        #expect(throws: CommandFailure.self) { try params(text) }
    }
}
