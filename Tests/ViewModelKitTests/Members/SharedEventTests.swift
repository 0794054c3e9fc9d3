import Testing
import ViewModelKit
import ViewModelProtocol
import ViewModelTesting

@Suite struct `An event of a shared model` {
    private let harness: SessionHarness
    private let client: TestClient

    init() throws {
        var catalog = ViewModelCatalog()
        try catalog.host(Door.self) { context in Door(bell: context.shared { Bell() }) }
        harness = SessionHarness(catalog)
        client = try harness.connect()
    }

    private func rings(of instance: String) -> [JSONValue] {
        client.frames.filter { $0.instance == instance }.flatMap(\.events).map(\.value)
    }

    private func open(_ ids: String...) throws {
        for id in ids {
            try client.request("viewModel.open", ["type": "door", "id": .string(id)])
            try client.bind(id)
        }
    }

    @Test func `reaches every instance that shows it, in one step`() throws {
        try open("front", "back", "cellar")
        try client.request("front.ring", [1])
        try client.request("cellar.ring", [2])
        for id in ["front", "back", "cellar"] { #expect(rings(of: id) == [1, 2]) }
        #expect(Set(client.frames.map(\.seq)).count == 2)
        #expect(client.frames.count == 6)
    }

    @Test func `goes on after the instance that showed it first has been closed`() throws {
        try open("front", "back")
        try client.request("viewModel.close", ["id": "front"])
        try client.request("back.ring", [1])
        try open("front")
        try client.request("back.ring", [2])
        #expect(rings(of: "back") == [1, 2])
        #expect(rings(of: "front") == [2])
        try client.request("viewModel.close", ["id": "back"])
        try client.request("front.ring", [3])
        #expect(rings(of: "front") == [2, 3])
        #expect(rings(of: "back") == [1, 2])
    }

    @Test func `is kept for a client that resumes any of the instances`() throws {
        try open("front", "back")
        let picture = try #require(client.picture(of: "back"))
        try client.request("viewModel.unbind", ["id": "back"])
        try client.request("front.ring", [1])
        let reply = try client.bind("back", since: Since(epoch: picture.epoch, seq: picture.seq))
        #expect(reply.events?.map(\.value) == [1])
    }
}

/// The bell of a house.
private final class Bell {
    let rang = Event<Int>()
}

/// A door with the bell of the house.
@ViewModel
private final class Door {
    struct Inputs {
        /// Rings.
        let ring = Input<Int>()
    }
    struct Outputs {
        /// The bell has rung.
        let rang: Event<Int>
    }
    let inputs = Inputs(), outputs: Outputs

    init(bell: Bell) {
        outputs = Outputs(rang: bell.rang)
        inputs.ring.sink { bell.rang.send($0) }
    }
}
