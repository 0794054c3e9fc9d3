import Testing
import ViewModelClient

@testable import ViewModelCommands

@Suite struct ParametersTests {
    private let account = ParameterForm(
        #"""
        {"properties":{"account":{"type":"string"},"age":{"type":["integer","null"]}},"required":["account","age"]}
        """#
    )

    private func object(_ words: [String], _ shape: ParameterForm) async throws -> JSONValue {
        .object(try await Parameters(words).object(shape, reading: InputReader(standardInputReader: "the test")))
    }

    @Test(arguments: [
        (["account=12345", "age=7"], #"{"account":"12345","age":7}"#), (["age=null"], #"{"age":null}"#),
        (["age=old"], #"{"age":"old"}"#), (["account:=12"], #"{"account":12}"#),
        // A name that the contract does not know is sent as a text, for the daemon to refuse.
        (["acount=5"], #"{"acount":"5"}"#),
    ])
    func `a text becomes the type that the contract has for its name, and JSON stays`(words: [String], object: String)
        async throws
    {
        #expect(try await self.object(words, account) == JSONValue(text: object))
    }

    @Test(arguments: [
        (#"{"enum":["1","2","+"]}"#, "1", #"{"value":"1"}"#),
        (#"{"enum":["1","2","+"]}"#, "value=+", #"{"value":"+"}"#),
        (#"{"type":"integer"}"#, "-5", #"{"value":-5}"#),
    ])
    func `a value alone is the one value of its member`(schema: String, word: String, object: String) async throws {
        #expect(try await self.object([word], ParameterForm(schema)) == JSONValue(text: object))
    }

    @Test(arguments: ["@-", "@file", "a=b", "a:=b", "--foo", "-h", "--", ""])
    func `the text after two dashes is sent as it is`(text: String) async throws {
        let draft = ParameterForm(#"{"type":"string"}"#)
        #expect(try await object(["--", text], draft) == .object(["value": .string(text)]))
    }

    @Test(arguments: [
        (#"{}"#, "12", #""12""#), (#"{"anyOf":[{"type":"integer"},{"type":"string"}]}"#, "null", #""null""#),
        (#"{"type":"integer"}"#, "12", "12"),
    ])
    func `the text after two dashes is a string wherever the member allows one`(
        schema: String,
        text: String,
        value: String
    ) async throws {
        let form = ParameterForm(schema)
        #expect(try await object(["--", text], form) == JSONValue(text: #"{"value":\#(value)}"#))
        let parameters = Parameters(text: text)
        #expect(try await parameters.object(form, reading: InputReader())["value"] == JSONValue(text: value))
    }

    @Test func `two dashes stand before one text`() {
        for words in [["--"], ["--", "a", "b"]] {
            #expect(#expect(throws: CommandFailure.self) { try Parameters(words) }?.status == .usage)
        }
    }

    @Test(arguments: ["@-", "@file", "a=b", "-x", "--help", "😀", ""])
    func `a text of the option is sent as it is`(text: String) async throws {
        let parameters = Parameters(text: text)
        let object = try await parameters.object(.unknown, reading: InputReader())
        #expect(object == ["value": .string(text)])
    }

    @Test func `a value without a name is refused where the member takes an object`() throws {
        for words in [["12345"], ["--", "12345"]] {
            var parameters = try Parameters(words)
            let failure = #expect(throws: CommandFailure.self) {
                try parameters.setNames(for: account, of: "login.register")
            }
            #expect(failure?.remedy == "Write account=… age=…")
        }
        var named = try Parameters(["account=12345"])
        try named.setNames(for: account, of: "login.register")
        var unknown = try Parameters(["12345"])
        try unknown.setNames(for: .unknown, of: "login.register")
    }

    @Test(arguments: [
        (["title"], ["title", "text"], "title"), ([], ["text"], "text"),
        (["value", "text"], ["value", "text"], "value"),
    ])
    func `a value without a name is the one required member`(required: [String], all: [String], name: String) throws {
        let properties = all.map { #""\#($0)":{"type":"string"}"# }.joined(separator: ",")
        let form = ParameterForm(#"{"properties":{\#(properties)},"required":\#(required)}"#)
        var parameters = try Parameters(["Really?"])
        try parameters.setNames(for: form, of: "lab.ask")
        #expect(parameters.values.map(\.key) == [name])
    }

    @Test func `what cannot be read is the command line's fault`() async {
        for word in ["account=@/nowhere", "account=@-", "account:=x"] {
            let failure = await #expect(throws: CommandFailure.self) { try await object([word], account) }
            #expect(failure?.status == .usage)
        }
    }

    @Test(arguments: [["a=1", "a=2"], ["7", "a=1"], ["7", "8"]])
    func `words that do not go together are refused`(words: [String]) {
        #expect(throws: CommandFailure.self) { try Parameters(words) }
    }

    @Test func `only texts need the contract`() throws {
        #expect(try !Parameters(["a:=1", "b:=2"]).needsContract)
        #expect(try Parameters(["a:=1", "b=2"]).needsContract)
    }
}
