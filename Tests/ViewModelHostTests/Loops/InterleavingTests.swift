import TestSupport
import Testing
import ViewModelHost
import ViewModelProtocol
import ViewModelTesting

@Suite struct `Two loops in any order` {
    @Test(arguments: 1...30 as ClosedRange<UInt64>)
    func `give each client the newest picture in the end, and each request one answer`(seed: UInt64) throws {
        var random = Seeded(seed)
        let loops = try TwoLoops()
        let clients = [loops.local, loops.remote]
        var requests: [SentRequest] = []
        for client in clients { requests.append(client.begin("viewModel.bind", ["id": "board"])) }
        for round in 0..<200 {
            let client = clients[Int.random(in: 0..<2, using: &random)]
            let number = JSONValue.integer(round)
            switch Int.random(in: 0..<12, using: &random) {
            case 0...2: requests.append(client.begin("board.set", [number]))
            case 3: requests.append(client.begin("board.put", [number]))
            case 4: requests.append(client.begin("board.parallel", [number]))
            case 5: requests.randomElement(using: &random)?.cancel()
            case 6: loops.daemon.work.complete(with: round)
            case 7: requests.append(client.begin("board.edit", ["kind": "insert", "index": 0, "number": number]))
            case 8: requests.append(client.begin("board.edit", ["kind": "remove", "index": 2, "number": number]))
            case 9: requests.append(client.begin("viewModel.bind", ["id": "board"]))
            default: break
            }
            if Bool.random(using: &random) { loops.home.runOnce() }
            if Bool.random(using: &random) { loops.away.runOnce() }
        }
        loops.runUntilIdle()
        while !loops.daemon.work.waiting.isEmpty {
            loops.daemon.work.complete(with: 0)
            loops.runUntilIdle()
        }
        for request in requests { #expect(request.answer != nil, "\(request.method) \(request.id)") }
        for client in clients {
            #expect(client.faults == [])
            let answers = client.received.filter(\.isAnswer)
            #expect(answers.count == requests.count { $0.isOf(client) } + 1)
            let seqs = client.frames.map(\.seq)
            #expect(seqs == seqs.sorted())
        }
        let now = try loops.request(loops.local, "viewModel.read", ["id": "board"])
        for client in clients { #expect(client.picture(of: "board")?.values == now["values"]?.objectValue) }
    }
}

extension SentRequest {
    fileprivate func isOf(_ client: TestClient) -> Bool { client === self.client }
}
