import Testing
import ViewModelClient
import ViewModelContract

@testable import ViewModelCommands

@Suite struct ParameterFormTests {
    private let contract = Contract(
        ofDaemon: JSONValue(
            text: #"""
                {"x-viewModels":{
                  "mine":{"inputs":{"select":{"schema":{"type":"string"}},"clear":{"schema":{"type":"null"}}}},
                  "login":{"actions":{"register":{"params":{"type":"object","properties":{
                                        "account":{},"_meta":{"type":"object"}}}},
                                      "submit":{"params":null}}}
                }}
                """#
        ) ?? .null
    )

    private func form(of member: String, _ type: String) throws -> ParameterForm {
        ParameterForm(of: member, try #require(contract.type(type)), in: contract)
    }

    @Test func `a member takes one value, an object's members, or nothing`() throws {
        #expect(try form(of: "select", "mine").parameters.map(\.name) == ["value"])
        #expect(try !form(of: "select", "mine").isObject)
        #expect(try form(of: "register", "login").parameters.map(\.name) == ["account"])
        #expect(try form(of: "register", "login").isObject)
        for (member, type) in [("clear", "mine"), ("submit", "login"), ("logout", "login")] {
            #expect(try form(of: member, type).parameters.isEmpty)
        }
    }
}
