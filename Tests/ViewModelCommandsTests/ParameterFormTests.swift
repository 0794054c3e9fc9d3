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
        guard case .single = try form(of: "select", "mine") else { throw Unexpected() }
        guard case .nothing = try form(of: "clear", "mine") else { throw Unexpected() }
        guard case .members(let members, _) = try form(of: "register", "login") else { throw Unexpected() }
        #expect(members.map(\.name) == ["account"])
        guard case .nothing = try form(of: "submit", "login") else { throw Unexpected() }
        guard case .unknown = try form(of: "logout", "login") else { throw Unexpected() }
    }

    private struct Unexpected: Error {}
}
