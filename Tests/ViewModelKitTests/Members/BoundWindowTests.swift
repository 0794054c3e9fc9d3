import Testing
import ViewModelKit
import ViewModelTesting

/// Loads the messages of a server as clients scroll.
@ViewModel
private final class Timeline {
    @Output var messages: Rows<Message> = []
    /// The ranges that clients show.
    @Output var shown: [String] { messages.windows.map { "\($0)" } }

    private static let page = 10
    private let server: Effect<Int, [Message]>

    init(server: Effect<Int, [Message]>) { self.server = server }

    /// The number of rows that the client furthest down wants, a page ahead.
    private var wanted: Int { messages.windows.map { min($0.upperBound, 1000) }.max().map { $0 + Self.page } ?? 0 }
    private var isShort: Bool { messages.count < wanted }

    @Action(.queued, enabled: \Timeline.isShort, runs: .onChange(of: \Timeline.wanted))
    private func load() async throws {
        while isShort {
            let page = try await server(messages.count)
            if page.isEmpty { return }
            messages += page
        }
    }
}

@Schemable
private struct Message: Identifiable {
    let id: Int

    static func page(from start: Int) -> [Message] { (start..<start + 10).map { Message(id: $0) } }
}

@Suite struct `A list of which clients bind windows` {
    private let server = Effect<Int, [Message]>()
    private let session: SessionHarness

    init() throws {
        var catalog = ViewModelCatalog()
        catalog.provide(server)
        try catalog.host(Timeline.self)
        session = SessionHarness(catalog)
    }

    private func bind(_ client: TestClient, _ offset: Int, _ limit: Int) throws {
        try client.bind("timeline", windows: ["messages": Window(offset: offset, limit: limit)])
        session.runUntilIdle()
    }

    private func shown(_ client: TestClient) throws -> JSONValue? { try client.read("timeline")["shown"] }

    @Test func `shows them to the ViewModel, until the client binds others or leaves`() throws {
        let phone = try session.connect(), desk = try session.connect()
        try bind(phone, 0, 5)
        try bind(desk, 20, 5)
        #expect(try shown(phone) == ["0..<5", "20..<25"])
        try bind(phone, 5, 5)
        #expect(try shown(phone) == ["5..<10", "20..<25"])
        desk.close()
        session.runUntilIdle()
        #expect(try shown(phone) == ["5..<10"])
        try phone.bind("timeline")
        #expect(try shown(phone) == [.string("0..<\(Int.max)")])
        try phone.unbind("timeline")
        #expect(try shown(phone) == [])
    }

    @Test func `is loaded page by page as a client scrolls`() throws {
        let phone = try session.connect()
        #expect(try shown(phone) == [])
        #expect(server.calls.isEmpty)
        try bind(phone, 0, 5)
        #expect(server.waiting.map(\.input) == [0])
        server.complete(with: Message.page(from: 0))
        session.runUntilIdle()
        server.complete(with: Message.page(from: 10))
        session.runUntilIdle()
        #expect(server.waiting.isEmpty)
        #expect(phone.picture(of: "timeline")?["messages"]?["count"] == 20)
        try bind(phone, 12, 5)
        #expect(server.waiting.map(\.input) == [20])
        server.complete(with: [])
        session.runUntilIdle()
        #expect(server.waiting.isEmpty)
    }
}
