import Testing
import ViewModelClient

/// The types on which generated clients stand.
@Suite(.timeLimit(.minutes(5))) struct RemoteTests {
    private struct Row: Codable, Equatable, Sendable {
        var id: Int
        var text: String
    }

    private struct LabPicture: RemotePicture {
        var value: Int
        var note: String?
        var rows: ListRows<Row>
        var count: ActionState

        init(reading values: PictureReader, after previous: LabPicture?) throws {
            value = try values.state("value", previous?.value)
            note = try values.state("note", previous.map(\.note))
            rows = try values.list("rows", previous?.rows)
            count = try values.action("count", previous?.count)
        }
    }

    private struct LabWindows: RemoteWindows {
        var rows: Window?

        var byOutput: [String: Window] { rows.map { ["rows": $0] } ?? [:] }
    }

    private struct Lab: RemoteViewModel {
        typealias Picture = LabPicture
        typealias Windows = LabWindows

        static let typeName = "lab"
        let client: ViewModelClient
        let id: String

        init(_ client: ViewModelClient, id: String = "lab") {
            self.client = client
            self.id = id
        }
    }

    private static let whole = #"""
        {"id":"lab","epoch":"e","seq":1,"full":true,"values":{"value":1,"note":null,
        "rows":[{"id":1,"text":"a","news":1}],"count.enabled":true,"count.executing":false,"count.progress":null}}
        """#.replacing("\n", with: "")

    @Test func `a typed binding has typed pictures, of which a frame changes what it names`() async throws {
        try await ScriptedDaemon.withClient { daemon, client in
            var updates = Lab(client).bind(minInterval: .milliseconds(20)).makeAsyncIterator()
            async let bound = daemon.reply(to: "viewModel.bind", Self.whole)
            let first = try #require(await updates.next())
            #expect(try await bound["params"] == JSONValue(text: #"{"id":"lab","minInterval":20}"#))
            #expect(first.picture.value == 1)
            #expect(first.picture.note == nil)
            #expect(first.picture.rows.first == Row(id: 1, text: "a"))
            #expect(first.picture.count == ActionState(enabled: true))
            try await daemon.frame(
                #"{"id":"lab","seq":2,"values":{"note":"x","count.executing":true,"count.progress":0.5},"#
                    + #""events":[{"output":"bell","value":"b"}],"lost":2}"#
            )
            let second = try #require(await updates.next())
            #expect(second.picture.note == "x")
            #expect(second.picture.count == ActionState(enabled: true, executing: true, progress: 0.5))
            #expect(second.picture.rows == first.picture.rows)
            #expect(second.events == [OutputEvent(output: "bell", value: .string("b"))])
            #expect(second.lost == 2)
            try await daemon.frame(#"{"id":"lab","seq":3,"values":{"value":7}}"#)
            #expect(try await updates.next()?.picture.note == "x")
        }
    }

    @Test func `a windowed list knows its place`() async throws {
        try await ScriptedDaemon.withClient { daemon, client in
            let rows = #"{"offset":4,"count":90,"rows":[{"id":5,"text":"e"}]}"#
            let windowed = Self.whole.replacing(#"[{"id":1,"text":"a","news":1}]"#, with: rows)
            let binding = Lab(client).bind(LabWindows(rows: Window(offset: 4, limit: 1)))
            async let first = binding.picture()
            let bind = try await daemon.reply(to: "viewModel.bind", windowed)
            #expect(bind["params"]?["windows"] == JSONValue(text: #"{"rows":{"offset":4,"limit":1}}"#))
            let picture = try await first
            #expect(picture.rows == ListRows([Row(id: 5, text: "e")], offset: 4, total: 90))
            async let scrolled = binding.scroll(\.rows, to: Window(offset: 0, limit: 1))
            try await daemon.reply(to: "viewModel.bind", Self.whole)
            #expect(try await scrolled.rows.offset == 0)
        }
    }

    @Test func `a value of another type is an error that names its place`() async throws {
        try await ScriptedDaemon.withClient { daemon, client in
            let read = Task { try await Lab(client).read() }
            let request = try await daemon.request("viewModel.read")
            try await daemon.answer(request, #"{"id":"lab","epoch":"e","seq":1,"values":{"value":"1"}}"#)
            let error = await expectError(.unexpectedReply) { try await read.value }
            #expect(error?.message.contains("\"/value\"") == true)
        }
    }

    @Test func `a failure has its name, its details and whether to try again`() {
        let reply = ProtocolError(
            code: .actionFailed,
            message: "Full",
            data: JSONValue(text: #"{"error":"outboxFull","details":{"limit":3},"retryable":true}"#)
        )
        let error = ClientError(code: .refused, message: "x", reply: reply)
        #expect(error.failure?.error == "outboxFull")
        #expect(error.failure?.isRetryable == true)
        #expect(error.failure?.decodedDetails(as: [String: Int].self) == ["limit": 3])
        #expect(ClientError(code: .closed, message: "x").failure == nil)
    }

    @Test func `a value inside itself is coded as without its box`() throws {
        let boxed = Indirect(7)
        #expect(boxed.value == 7)
        #expect(String(decoding: try JSONWriter.text(of: [boxed]), as: UTF8.self) == "[7]")
    }
}
