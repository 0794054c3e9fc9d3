import Testing
import ViewModelClient

@testable import ViewModelCommands

@Suite struct ContractDocumentTests {
    private let contract = ContractDocument(
        JSONValue(
            text: #"""
                {"x-viewModels":{
                  "mine":{"inputs":{"select":{"schema":{"type":"string"}}},"children":{"header":"mineHeader"}},
                  "mineHeader":{"inputs":{"select":{"schema":{"type":"null"}}}},
                  "login":{"actions":{"register":{"params":{"type":"object","properties":{"account":{}}}},
                                      "submit":{"params":null}}}
                }}
                """#
        ) ?? .null
    )

    @Test func `a default instance and its child tell their type`() {
        #expect(contract.type(of: "mine") == "mine")
        #expect(contract.type(of: "mine.header") == "mineHeader")
        #expect(contract.type(of: "mine.footer") == nil)
        #expect(contract.type(of: "other") == nil)
        #expect(contract.child(of: "mine", named: "mine-2.header") == "mineHeader")
    }

    @Test func `a child has no instance of its own`() {
        #expect(contract.instances(of: "mineHeader") == ["mine.header"])
        #expect(contract.instances(of: "mine") == ["mine"])
    }

    @Test func `a child of a child has the whole path`() {
        let nested = ContractDocument(
            JSONValue(
                text: #"{"x-viewModels":{"a":{"children":{"b":"bee"}},"bee":{"children":{"c":"sea"}},"sea":{}}}"#
            ) ?? .null
        )
        #expect(nested.childPaths(of: "sea") == ["a.b.c"])
    }

    @Test func `a member takes one value, an object's members, or nothing`() throws {
        guard case .single? = contract.shape(of: "select", type: "mine") else { throw Unexpected() }
        guard case .nothing? = contract.shape(of: "select", type: "mineHeader") else { throw Unexpected() }
        guard case .members(let members)? = contract.shape(of: "register", type: "login") else { throw Unexpected() }
        #expect(members.names == ["account"])
        guard case .nothing? = contract.shape(of: "submit", type: "login") else { throw Unexpected() }
        #expect(contract.shape(of: "logout", type: "login") == nil)
    }

    private struct Unexpected: Error {}
}
