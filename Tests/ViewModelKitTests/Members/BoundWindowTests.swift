import Testing
import ViewModelKit
import ViewModelTesting

/// Loads the messages of a server as clients scroll.
@ViewModel
private final class Timeline: BindingObserver {
    @Output var messages: Rows<Message> = []
    /// The ranges that clients show.
    @Output var shown: [String] { messages.windows.map { "\($0)" } }

    /// The number of clients.
    @Output private(set) var clients = 0

    func bindingsChanged(to count: Int) { clients = count }
    func willBeRead() {}

    /// Adds a row at the beginning.
    @Input func prepend(_ id: Int) { messages.insert(Message(id: id), at: 0) }
    /// Adds a row that cannot be encoded.
    @Input func weigh() { messages.append(Message(id: -1, weight: .infinity)) }

    private static let page = 10
    private let server: Effect<Int, [Message]>

    init(server: Effect<Int, [Message]>) { self.server = server }

    /// The number of rows that the client furthest down wants, a page ahead.
    private var wanted: Int { messages.windows.map { $0.upperBound + Self.page }.max() ?? 0 }
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
    var weight = 1.0

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
        #expect(try shown(phone) == ["0..<0"])
        try bind(phone, 5000, Int.max)
        #expect(try shown(phone) == ["1000..<1000"])
        try phone.unbind("timeline")
        #expect(try shown(phone) == [])
    }

    @Test func `shows where an anchored window is now`() throws {
        let client = try session.connect(), other = try session.connect()
        try client.bind("timeline", windows: ["messages": Window(offset: 2, limit: 5, anchor: true)])
        session.runUntilIdle()
        server.complete(with: Message.page(from: 0))
        #expect(try shown(other) == ["2..<7"])
        try other.request("timeline.prepend", [100])
        #expect(client.picture(of: "timeline")?["messages"]?["offset"] == 3)
        #expect(client.picture(of: "timeline")?["shown"] == ["3..<8"])
        try client.unbind("timeline")
        #expect(try shown(other) == [])
    }

    @Test func `has the windows with which a harness opens it`() throws {
        let timeline = try session.open(Timeline.self, windows: ["messages": Window(offset: 0, limit: 3)])
        #expect(try timeline.read(\.outputs.shown) == ["0..<3"])
        server.complete(with: Message.page(from: 0))
        #expect(timeline.picture["messages"]?["count"] == 10)
        #expect(timeline.picture["messages"]?["rows"]?.arrayValue?.count == 3)
        let other = try timeline.open(Timeline.self, id: "other", windows: ["messages": Window(offset: 2, limit: 3)])
        #expect(try other.read(\.outputs.shown) == ["2..<5"])
    }

    @Test func `names a window of a harness that is none of its lists`() throws {
        let error = #expect(throws: HarnessError.self) {
            try session.open(Timeline.self, windows: ["mesages": Window(offset: 0, limit: 3)])
        }
        let description = try #require(error?.description)
        #expect(description.hasPrefix("timeline could not be bound: "))
        #expect(description.contains("mesages"), "\(description)")
    }

    @Test func `does not show the window of a bind that fails, nor the client`() throws {
        let phone = try session.connect()
        try bind(phone, 0, 5)
        try phone.request("timeline.weigh", [])
        let desk = try session.connect()
        for client in [phone, desk] { #expect(throws: (any Error).self) { try bind(client, 0, 7) } }
        #expect(try shown(phone) == ["0..<5"])
        #expect(try phone.read("timeline")["clients"] == 1)
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
