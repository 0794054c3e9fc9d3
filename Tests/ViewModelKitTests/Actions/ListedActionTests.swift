import Testing
import ViewModelKit
import ViewModelTesting

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

    @Test func `runs as many as its limit allows, and the others in their order`() throws {
        let calls = try (1...4).map { try harness.start(\.$start, $0) }
        #expect(service.calls.map(\.input) == [1, 2])
        #expect(try rows == ["1 running 0.0", "2 running 0.0", "3 waiting", "4 waiting"])
        service.waiting[1].complete(with: 20)
        #expect(try calls[1].result() == 20)
        #expect(service.calls.map(\.input) == [1, 2, 3])
        service.complete(with: 10)
        #expect(try rows == ["3 running 0.0", "4 running 0.0"])
        #expect(try harness.isExecuting(\.$start))
        service.complete(with: 30)
        #expect(try harness.isExecuting(\.$start))
        service.complete(with: 40)
        #expect(calls.map(\.answer) == [.result(10), .result(20), .result(30), .result(40)])
        #expect(try !harness.isExecuting(\.$start))
        #expect(try rows == [])
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

    @Test func `refuses a second execution of an id until the first has ended`() throws {
        let first = try harness.start(\.$start, 1)
        let second = try harness.start(\.$start, 1)
        guard case .failure(let failure) = second.answer else {
            Issue.record("\(second.answer)")
            return
        }
        #expect(failure.error == "alreadyExecuting")
        #expect(failure.retryable)
        #expect(first.answer == .pending)
        service.complete(with: 1)
        _ = try harness.start(\.$start, 1)
        #expect(service.waiting.map(\.input) == [1])
    }

    @Test func `cancels one from inside, which is listed until its body has ended`() throws {
        let calls = try (1...4).map { try harness.start(\.$start, $0) }
        try harness.send(\.inputs.stop, 4)
        #expect(calls[3].answer == .cancelled)
        try harness.send(\.inputs.stop, 1)
        #expect(try rows == ["1 stopping 0.0", "2 running 0.0", "3 waiting"])
        #expect(service.calls[0].isCancelled)
        #expect(calls[0].answer == .pending)
        service.complete(with: 0)
        #expect(calls[0].answer == .cancelled)
        #expect(try rows == ["2 running 0.0", "3 running 0.0"])
        #expect(throws: InvalidValue.self) { try harness.send(\.inputs.stop, 9) }
    }

    @Test func `takes out one whose caller leaves`() throws {
        let calls = try (1...3).map { try harness.start(\.$start, $0) }
        calls[2].cancel()
        #expect(calls[2].answer == .cancelled)
        #expect(try rows == ["1 running 0.0", "2 running 0.0"])
    }

    @Test func `cancels all from inside`() throws {
        let calls = try (1...3).map { try harness.start(\.$start, $0) }
        try harness.send(\.inputs.stopAll)
        #expect(calls.map(\.answer) == [.pending, .pending, .cancelled])
        service.complete(with: 1)
        service.complete(with: 2)
        #expect(calls.map(\.answer) == [.cancelled, .cancelled, .cancelled])
        #expect(try rows == [])
        #expect(try !harness.isExecuting(\.$start))
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

    @Test func `ends with its instance`() throws {
        try harness.client.request("viewModel.open", ["type": "downloads", "id": "other"])
        let calls = (1...3).map { harness.client.begin("other.start", [.integer($0)]) }
        try harness.client.request("viewModel.close", ["id": "other"])
        #expect(calls.map(\.error?.code) == [.cancelled, .cancelled, .cancelled])
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

/// Downloads, at most two at a time.
@ViewModel
private final class Downloads {
    /// The downloads that wait or run.
    @Output var downloads: Rows<ExecutionRow<Int>> { $start.executions }

    private let service: Effect<Int, Int>
    private var executions: [Int: Execution] = [:]

    init(service: Effect<Int, Int>) { self.service = service }

    /// Downloads an episode.
    @Action(.concurrent(limit: 2), id: "id")
    func start(_ id: Int, _ execution: Execution) async throws(DownloadFailure) -> Int {
        executions[id] = execution
        execution.progress = 0
        do {
            return try await service(id)
        } catch {
            throw .busy
        }
    }

    /// Renames episodes one after the other.
    @Action(.queued, id: "episode")
    func rename(episode: String, to: String) async throws {
        _ = try await service(0)
    }

    /// Sets the progress of a download.
    @Input func tell(id: Int, progress: Double) { executions[id]?.progress = progress }

    /// Cancels a download.
    @Input func stop(_ id: Int) throws {
        guard $start.cancel(id: id) else { throw InvalidValue(expected: "the id of a download", found: "\(id)") }
    }

    /// Cancels all downloads.
    @Input func stopAll() { $start.cancel() }
}

/// Why a download failed.
@Failure
private enum DownloadFailure {
    /// The server is busy.
    @Retryable case busy
    /// The episode is gone.
    case gone
}
