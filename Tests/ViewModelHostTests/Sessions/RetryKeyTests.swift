import Testing
import ViewModelKit
import ViewModelTesting

/// Takes values that can be written in several ways.
@ViewModel
final class Scales {
    struct Inputs {
        /// Weighs things by name.
        let weigh = Input<[[String: Int]]>()
        /// Takes any value.
        let note = Input<JSON>()
    }
    struct Outputs {
        /// The number of values that were taken.
        let count: Output<Int>
    }
    let inputs = Inputs(), outputs: Outputs

    init() {
        let count = Cell(0)
        inputs.weigh.sink { _ in count.value += 1 }
        inputs.note.sink { _ in count.value += 1 }
        outputs = Outputs(count: Output(count))
    }
}

@Suite struct `A repeated call` {
    private let client: TestClient

    init() throws {
        var catalog = ViewModelCatalog()
        try catalog.host(Scales.self) { _ in Scales() }
        client = SessionHarness(catalog).connectAnonymously()
    }

    private func send(_ method: String, _ value: String) throws -> JSONValue? {
        let params = try #require(JSONValue(text: #"{"value":\#(value),"_meta":{"key":"k"}}"#))
        return client.begin(method, params).error?.data?["path"]
    }

    @Test func `has the same params in whatever order its members stand`() throws {
        let names = (0..<20).map { "n\($0)" }
        for _ in 0..<20 {
            let members = names.shuffled().map { "\"\($0)\":1" }.joined(separator: ",")
            #expect(try send("scales.weigh", "[{\(members)}]") == nil)
            #expect(try send("scales.note", #"[{"a":{\#(members)}}]"#) == nil)
        }
        #expect(try client.request("viewModel.read", ["id": "scales"])["values"] == ["count": 2])
    }

    @Test(arguments: ["[1]", "[2,1]", "[1,3]", #"["1",2]"#, "[1,2.5]", "[10000000000000000001,2]", "{}"])
    func `has other params if a value differs`(other: String) throws {
        for former in ["[1,2]", "[10000000000000000002,2]"] {
            let client = try Self()
            #expect(try client.send("scales.note", former) == nil)
            #expect(try client.send("scales.note", other) == "/_meta/key")
        }
    }
}
