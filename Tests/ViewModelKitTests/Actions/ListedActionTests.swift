import Testing
import ViewModelKit
import ViewModelTesting

@testable import Scenarios

@Suite struct `An action that lists its executions` {
    private let service = Effect<Int, Int>(endsWhenCancelled: false)
    private let harness: Harness<Downloads>

    init() throws {
        let service = service
        harness = try Harness(Downloads.self) { _ in Downloads(service: service) }
    }

    private typealias Row = ExecutionRow<Int>

    private var rows: [String] {
        get throws {
            try harness.read(\.outputs.downloads).map {
                "\($0.id) \($0.state.rawValue)" + ($0.progress.map { " \($0)" } ?? "")
            }
        }
    }

    @Test func `shows the progress of each one, and that of the newest as before`() throws {
        _ = try harness.start(\.$start, 1)
        _ = try harness.start(\.$start, 2)
        try harness.send(\.inputs.tell, .init(id: 1, progress: 0.5))
        #expect(try rows == ["1 running 0.5", "2 running 0.0"])
        #expect(try harness.progress(\.$start) == 0)
        let frames = try harness.frames { try harness.send(\.inputs.tell, .init(id: 2, progress: 7)) }
        #expect(frames.map(\.outputs) == [["downloads", "start.progress"]])
        #expect(try rows == ["1 running 0.5", "2 running 1.0"])
    }

    @Test func `finds the id among several params`() throws {
        _ = try harness.start(\.$rename, .init(episode: "a", to: "b"))
        #expect(harness.viewModel.$rename.executions.value.map(\.id) == ["a"])
        #expect(try harness.start(\.$rename, .init(episode: "c", to: "b")).answer == .pending)
        #expect(harness.viewModel.$rename.executions.value.map(\.state) == [.running, .waiting])
    }

    @Test func `has the policy of the wire and one more failure in its contract`() throws {
        let document = try harness.client.request("rpc.discover")
        let start = document["x-viewModels"]?["downloads"]?["actions"]?["start"]
        #expect(start?["policy"] == "concurrent")
        #expect(start?["errors"]?.arrayValue?.map { $0["error"] } == ["busy", "gone", "alreadyExecuting"])
        let rename = document["x-viewModels"]?["downloads"]?["actions"]?["rename"]
        #expect(rename?["policy"] == "queued")
        #expect(rename?["errors"]?.arrayValue?.map { $0["error"] } == ["alreadyExecuting"])
    }
}

@Suite struct `A limit of concurrent executions` {
    @Test func `below one is one`() throws {
        #expect(ActionPolicy.concurrent(limit: 0) == .concurrent(limit: 1))
        #expect(ActionPolicy.concurrent(limit: 1) != .queued)
    }

    @Test func `counts for the daemon's own limit, waiting ones included`() throws {
        let service = Effect<Int, Int>()
        let harness = try Harness(Downloads.self) { _ in Downloads(service: service) }
        let calls = try (1...257).map { try harness.start(\.$start, $0) }
        #expect(service.waiting.count == 2)
        #expect(calls[255].answer == .pending)
        #expect(calls[256].answer == .limitExceeded(LimitExceeded(limit: "limits.executions", value: 256)))
    }
}
