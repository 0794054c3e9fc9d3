import Testing
import ViewModelHost
import ViewModelProtocol
import ViewModelTesting

@testable import Scenarios

@Suite struct `An instance` {
    @Test func `is released when it is closed, although others share its state`() throws {
        let client = try Daemon().connect()
        for (type, id) in [("board", "b"), ("echo", "e")] {
            try client.request("viewModel.open", ["type": .string(type), "id": .string(id)])
            try client.bind(id)
        }
        weak let board: Board? = try client.viewModel("b")
        weak let echo: Echo? = try client.viewModel("e")
        try client.request("viewModel.close", ["id": "e"])
        try client.request("viewModel.close", ["id": "b"])
        #expect(board == nil && echo == nil)
    }

    @Test func `is released although its own closures hold it`() throws {
        let client = try Daemon().connect()
        try client.request("viewModel.open", ["type": "knot", "id": "k"])
        weak let knot: Knot? = try client.viewModel("k")
        try client.request("k.tap")
        client.begin("k.wait")
        #expect(try client.read("k")["taps"] == 2)
        try client.request("viewModel.close", ["id": "k"])
        #expect(knot == nil)
    }
}
