import Testing
import ViewModelKit
import ViewModelTesting

@testable import Scenarios

@Suite struct `Retrying within an execution` {
    private let service = Effect<Int, Int>()
    private let harness: Harness<Fetcher>

    init() throws {
        let service = service
        harness = try Harness(Fetcher.self) { _ in Fetcher(service: service) }
    }

    @Test func `waits on the session's clock and counts the attempts`() throws {
        let call = try harness.start(\.$fetch, 7)
        service.fail(with: FetchFailure.busy)
        harness.advance(by: .milliseconds(999))
        #expect(service.calls.count == 1)
        harness.advance(by: .milliseconds(1))
        #expect(service.calls.count == 2)
        #expect(harness.viewModel.$fetch.executions.value.map(\.attempt) == [2])
        service.fail(with: FetchFailure.busy)
        harness.advance(by: .seconds(1))
        service.complete(with: 70)
        #expect(try call.result() == Fetched(value: 70, attempts: 3))
    }

    @Test func `ends with the failure of the last attempt`() throws {
        let call = try harness.start(\.$fetch, 7)
        for _ in 1...3 {
            service.fail(with: FetchFailure.busy)
            harness.advance(by: .seconds(1))
        }
        #expect(service.calls.count == 3)
        #expect(throws: ActionFailure("busy", message: "Busy.", retryable: true)) { try call.result() }
    }

    @Test func `does not repeat other failures`() throws {
        let call = try harness.start(\.$fetch, 7)
        service.fail(with: FetchFailure.gone)
        #expect(throws: ActionFailure("gone", message: "Gone.")) { try call.result() }
        harness.advance(by: .seconds(10))
        #expect(service.calls.count == 1)
    }

    @Test func `ends between two attempts when the call is cancelled`() throws {
        let call = try harness.start(\.$fetch, 7)
        service.fail(with: FetchFailure.busy)
        harness.session.runUntilIdle()
        call.cancel()
        #expect(call.answer == .cancelled)
        harness.advance(by: .seconds(10))
        #expect(service.calls.count == 1)
        #expect(try !harness.isExecuting(\.$fetch))
    }

    private typealias Fetch = KeyPath<Fetcher, Action<Int, Int>>

    /// An action, what the service fails with, and the failure of the action, or nil for its success.
    private let rows: [(Fetch, [any Error], (any Error)?)] = [
        (\.$fetchAny, [FetchFailure.busy, ActionFailure("offline", retryable: true)], nil),
        (\.$fetchAny, [FetchFailure.gone], ActionFailure("gone", message: "Gone.")),
        (\.$fetchAny, [UnexpectedError()], UnexpectedError()),
        (\.$fetchDeclared, [FetchFailure.busy], nil),
        (\.$fetchDeclared, [FetchFailure.gone], ActionFailure("gone", message: "Gone.")),
        (\.$fetchBusy, [FetchFailure.busy], nil),
        (\.$fetchBusy, [UnexpectedError()], UnexpectedError()),
        (
            \.$fetchChosen, [FetchFailure.gone, FetchFailure.busy],
            ActionFailure("busy", message: "Busy.", retryable: true)
        ),
    ]

    @Test func `repeats what is declared as retryable, certain failures, or what the ViewModel chooses`() throws {
        for (fetch, errors, failure) in rows {
            let call = try harness.start(fetch, 7)
            for (number, error) in errors.enumerated() {
                if number > 0 { harness.advance(by: .seconds(1)) }
                service.fail(with: error)
            }
            if let failure = failure as? ActionFailure {
                #expect(throws: failure) { try call.result() }
            } else if failure != nil {
                guard case .fault = call.answer else {
                    Issue.record("\(fetch) \(errors): \(call.answer)")
                    continue
                }
            } else {
                harness.advance(by: .seconds(1))
                service.complete(with: 70)
                #expect(try call.result() == 70)
            }
        }
    }

    @Test func `throws the cancellation if the work may throw anything`() throws {
        let call = try harness.start(\.$fetchAny, 7)
        service.fail(with: FetchFailure.busy)
        harness.session.runUntilIdle()
        call.cancel()
        #expect(call.answer == .cancelled)
        #expect(try harness.read(\.outputs.ended) == "CancellationError()")
    }

}

@Suite struct `An action that runs at open` {
    @Test func `runs once when the instance is made, in a step of its own`() throws {
        let service = Effect<Int, Int>()
        let harness = try Harness(Loader.self) { _ in Loader(service: service) }
        #expect(try harness.isExecuting(\.$load))
        #expect(service.waiting.map(\.input) == [0])
        service.complete(with: 5)
        #expect(try harness.read(\.outputs.value) == 5)
        #expect(service.calls.count == 1)
        let call = harness.start(\.$load)
        service.complete(with: 6)
        try call.result()
        #expect(try harness.read(\.outputs.value) == 6)
    }

    @Test func `runs for each instance, and again when the session is restored`() throws {
        let service = Effect<Int, Int>()
        var catalog = ViewModelCatalog()
        try catalog.host(Loader.self) { _ in Loader(service: service) }
        let session = SessionHarness(catalog, savesSessions: true)
        let client = try session.connect()
        try client.request("viewModel.open", ["type": "loader", "id": "a"])
        try client.request("viewModel.open", ["type": "loader", "id": "b"])
        #expect(service.calls.count == 2)
        session.advance(by: .seconds(1))
        session.restart()
        _ = try session.connect()
        #expect(service.calls.count == 4)
    }

    @Test func `obeys its gate, and reports its progress`() throws {
        let service = Effect<Int, Int>()
        let harness = try Harness(Loader.self) { _ in Loader(service: service) }
        #expect(try !harness.isExecuting(\.$check))
        try harness.send(\.inputs.open)
        let call = harness.start(\.$check)
        #expect(try harness.progress(\.$check) == 0.5)
        service.complete(with: 1)
        service.complete(with: 1)
        try call.result()
    }
}

@Suite struct `A ViewModel that is not hosted` {
    @Test func `is released although its init has run an action`() throws {
        let service = Effect<Int, Int>()
        let harness = try Harness(Keeper.self) { _ in Keeper(service: service) }
        #expect(harness.viewModel.loader == nil)
        #expect(service.calls.isEmpty)
    }
}

/// A ViewModel that has made another one and has not kept it.
@ViewModel
private final class Keeper {
    @Output private(set) var text = ""
    weak var loader: Single?

    init(service: Effect<Int, Int>) {
        let loader = Single(service: service)
        loader.$load.run()
        self.loader = loader
    }
}

/// A ViewModel with one action.
@ViewModel
private final class Single {
    private let service: Effect<Int, Int>

    init(service: Effect<Int, Int>) { self.service = service }

    @Action func load() async throws { _ = try await service(0) }
}

/// Fetches values.
@ViewModel
private final class Fetcher {
    /// What ended `fetchAny`.
    @Output private(set) var ended = ""

    private let service: Effect<Int, Int>

    init(service: Effect<Int, Int>) { self.service = service }

    @Action(.concurrent, id: "id")
    func fetch(_ id: Int, _ execution: Execution) async throws(FetchFailure) -> Fetched {
        let value = try await execution.retry(3, on: FetchFailure.busy, after: .seconds(1)) {
            () throws(FetchFailure) in try await get(id)
        }
        return Fetched(value: value, attempts: execution.attempt)
    }

    @Action(.concurrent)
    func fetchDeclared(_ id: Int, _ execution: Execution) async throws(FetchFailure) -> Int {
        try await execution.retry(2, after: .seconds(1)) { () throws(FetchFailure) in try await get(id) }
    }

    @Action(.concurrent)
    func fetchBusy(_ id: Int, _ execution: Execution) async throws -> Int {
        try await execution.retry(2, on: FetchFailure.busy, after: .seconds(1)) { try await service(id) }
    }

    @Action(.concurrent)
    func fetchAny(_ id: Int, _ execution: Execution) async throws -> Int {
        do {
            return try await execution.retry(3, after: .seconds(1)) { try await service(id) }
        } catch {
            ended = "\(error)"
            throw error
        }
    }

    @Action(.concurrent)
    func fetchChosen(_ id: Int, _ execution: Execution) async throws(FetchFailure) -> Int {
        try await execution.retry(3, after: .seconds(1), if: { (failure: FetchFailure) in failure == .gone }) {
            () throws(FetchFailure) in try await get(id)
        }
    }

    private func get(_ id: Int) async throws(FetchFailure) -> Int {
        do {
            return try await service(id)
        } catch {
            throw error as? FetchFailure ?? .gone
        }
    }
}

@Failure
private enum FetchFailure {
    /// Busy.
    @Retryable case busy
    /// Gone.
    case gone
}

@Schemable
private struct Fetched {
    let value: Int
    let attempts: Int
}

/// Loads its value when it is opened.
@ViewModel
private final class Loader {
    @Output private(set) var value = 0
    @State private var isOpen = false

    private let service: Effect<Int, Int>

    init(service: Effect<Int, Int>) { self.service = service }

    @Action(.shared, runs: .atOpen)
    func load() async throws { value = try await service(0) }

    @Action(.latest, enabled: \Loader.isOpen, runs: .atOpen)
    func check(_ execution: Execution) async throws {
        execution.progress = 0.5
        _ = try await service(1)
    }

    @Input func open() { isOpen = true }
}
