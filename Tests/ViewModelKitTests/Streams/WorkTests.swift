import Testing
import ViewModelKit
import ViewModelTesting

@testable import Scenarios

@Suite struct `Work that follows a stream` {
    private let service = Effect<String, Int>()
    private let search: Harness<Search>

    init() throws {
        let service = service
        search = try Harness(Search.self, providing: service)
    }

    @Test func `starts with each value, and its result is a step`() throws {
        try search.send(\.inputs.text, "a")
        #expect(service.waiting.map(\.input) == ["a"])
        let frames = search.frames { service.complete(with: 1) }
        #expect(frames.map(\.values) == [["found": 1, "results": [1]]])
    }

    @Test func `is cancelled by the next value`() throws {
        try search.send(\.inputs.text, "a")
        try search.send(\.inputs.text, "b")
        #expect(service.calls[0].isCancelled)
        #expect(service.waiting.map(\.input) == ["b"])
        service.complete(with: 2)
        #expect(try search.read(\.outputs.results) == [2])
        #expect(try search.read(\.outputs.problem) == nil)
    }

    @Test func `counts for nothing if it does not listen to its cancellation`() throws {
        let service = Effect<String, Int>(endsWhenCancelled: false)
        let search = try Harness(Search.self, providing: service)
        try search.send(\.inputs.text, "a")
        try search.send(\.inputs.text, "b")
        service.waiting[1].complete(with: 2)
        service.waiting[0].complete(with: 1)
        try search.send(\.inputs.text, "c")
        try search.send(\.inputs.text, "d")
        service.waiting[0].fail(with: UnexpectedError())
        #expect(try search.read(\.outputs.results) == [2])
        #expect(try search.read(\.outputs.problem) == nil)
    }

    @Test func `may fail, and the stream goes on`() throws {
        try search.send(\.inputs.text, "a")
        service.fail(with: UnexpectedError())
        #expect(try search.read(\.outputs.problem) == "UnexpectedError()")
        #expect(search.session.incidents.isEmpty)
        try search.send(\.inputs.text, "b")
        service.complete(with: 3)
        #expect(try search.read(\.outputs.results) == [3])
    }

    @Test func `without a handler fails with an incident`() throws {
        try search.send(\.inputs.other, "a")
        service.fail(with: UnexpectedError())
        #expect(search.session.incidents.count == 1)
        try search.send(\.inputs.other, "b")
        service.complete(with: 3)
        #expect(try search.read(\.outputs.found) == 3)
    }

    @Test func `ends with its ViewModel`() throws {
        try search.client.request("viewModel.open", ["type": "search", "id": "second"])
        try search.client.request("second.text", ["a"])
        weak let second: Search? = try search.client.viewModel("second")
        #expect(second != nil)
        try search.client.request("viewModel.close", ["id": "second"])
        #expect(service.calls[0].isCancelled)
        #expect(second == nil)
    }
}

@ViewModel
private final class Search {
    struct Inputs {
        let text = Input<String>()
        let other = Input<String>()
    }
    struct Outputs {
        let found: Output<Int?>
        let results: Output<[Int]>
        let problem: Output<String?>
    }

    let inputs = Inputs(), outputs: Outputs

    init(service: Effect<String, Int>) {
        let found = Cell<Int?>(nil), results = Cell<[Int]>([]), problem = Cell<String?>(nil)
        let work = inputs.text.flatMapLatest {
            try await service($0)
        } onError: {
            problem.value = "\($0)"
        }
        work.sink {
            found.value = $0
            results.value.append($0)
        }
        inputs.other.flatMapLatest { try await service($0) }.sink { found.value = $0 }
        outputs = Outputs(found: Output(found), results: Output(results), problem: Output(problem))
    }
}
