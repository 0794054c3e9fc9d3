import JSONRPC
import Testing
import ViewModelContract

@Suite("The part of a contract with one type")
struct ContractPartTests {
    private static let document = JSONValue(
        text: """
            {"info": {"title": "shopd", "version": "1.2.0", "x-contract": "0a1b"},
             "methods": [{"name": "cart.add", "params": []}, {"name": "desk.ring", "params": []}],
             "x-viewModels": {
               "cart": {"instance": "cart", "children": {"desk": "desk"},
                 "outputs": {"items": {"kind": "list", "schema": {"type": "array",
                   "items": {"$ref": "#/components/schemas/Item"}}}}},
               "desk": {"outputs": {"bell": {"kind": "event", "schema": {"$ref": "#/components/schemas/Bell"}}}}},
             "components": {"schemas": {
               "Bell": {"type": "string"},
               "Item": {"type": "object", "properties": {
                 "price": {"$ref": "#/components/schemas/Price"},
                 "parts": {"type": "array", "items": {"$ref": "#/components/schemas/Item"}}}},
               "Price": {"type": "number"}}}}
            """
    )

    @Test func `describes the type as the whole contract does, with all components that it needs`() throws {
        let document = try #require(Self.document)
        let (whole, part) = (Contract(ofDaemon: document), try #require(Contract(ofDaemon: document, type: "cart")))
        #expect(part.hash == whole.hash)
        #expect(part.types.map(\.name) == ["cart"])
        let described = part.type(ofInstance: "cart")?.output("items")?.schema
        #expect(described?.node.json == whole.type("cart")?.output("items")?.schema.node.json)
        #expect(Set(part.components.names) == ["Item", "Price"])
        #expect(part.components["Item"]?.node.json == whole.components["Item"]?.node.json)
    }

    @Test func `is nil for what is no type of the daemon`() throws {
        let document = try #require(Self.document)
        for name in ["till", "cart.desk", ""] { #expect(Contract(ofDaemon: document, type: name) == nil) }
    }
}
