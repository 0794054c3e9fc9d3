import Testing
import ViewModelKit
import ViewModelTesting

@testable import Scenarios

@Suite struct `Work that follows a stream` {
    private let service = Effect<Int, Int>()
    private let search: Harness<Search>

    init() throws {
        let service = service
        search = try Harness(Search.self) { _ in Search(service: service) }
    }

    @Test func `without a handler fails with an incident`() throws {
        try search.send(\.inputs.other, 1)
        service.fail(with: UnexpectedError())
        #expect(search.session.incidents.count == 1)
        try search.send(\.inputs.other, 2)
        service.complete(with: 3)
        #expect(try search.read(\.outputs.found) == 3)
    }

    @Test func `ends with its ViewModel`() throws {
        try search.client.request("viewModel.open", ["type": "search", "id": "second"])
        try search.client.request("second.text", [1])
        weak let second: Search? = try search.client.viewModel("second")
        #expect(second != nil)
        try search.client.request("viewModel.close", ["id": "second"])
        #expect(service.calls[0].isCancelled)
        #expect(second == nil)
    }
}
