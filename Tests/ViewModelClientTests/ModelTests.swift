import Observation
import Testing
import ViewModelClient

/// The models of user interfaces.
@MainActor
@Suite(.timeLimit(.minutes(5))) struct ModelTests {
    private struct Row: Codable, Equatable, Sendable {
        var id: Int
        var text = "a"
    }

    private struct LabPicture: RemotePicture {
        var value: Int
        var note: String?
        var count: ActionState

        init(reading values: PictureReader, after previous: LabPicture?) throws {
            value = try values.state("value", previous?.value)
            note = try values.state("note", previous.map(\.note))
            count = try values.action("count", previous?.count)
        }
    }

    private struct Lab: RemoteViewModel {
        typealias Picture = LabPicture

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
        "count.enabled":true,"count.executing":false,"count.progress":null}}
        """#.replacing("\n", with: "")

    /// Waits for a condition.
    private func until(_ condition: () -> Bool) async throws {
        while !condition() { try await Task.sleep(for: .milliseconds(2)) }
    }

    @Test func `a value notifies when it changes, and not when another one does`() async throws {
        try await ScriptedDaemon.withClient { daemon, client in
            let model = ObservableModel(Lab(client))
            #expect(model.observed(\.value) == nil)
            try await daemon.reply(to: "viewModel.bind", Self.whole)
            try await until { model.observed(\.value) == 1 }
            let changes = Counter()
            withObservationTracking {
                _ = model.observed(\.value)
            } onChange: {
                changes.increment()
            }
            try await daemon.frame(#"{"id":"lab","seq":2,"values":{"note":"x"}}"#)
            try await until { model.observed(\.note) == "x" }
            #expect(changes.value == 0)
            try await daemon.frame(#"{"id":"lab","seq":3,"values":{"value":2}}"#)
            try await until { model.observed(\.value) == 2 }
            #expect(changes.value == 1)
        }
    }

    @Test func `an action is disabled and refused while there is no connection`() async throws {
        try await ScriptedDaemon.withClient { daemon, client in
            let model = ObservableModel(Lab(client))
            let count = model.observedAction("count", \.count)
            try await daemon.reply(to: "viewModel.bind", Self.whole)
            try await until { count.enabled }
            await client.suspend()
            try await until { !count.enabled }
            #expect(!model.isOnline)
            #expect(model.observed(\.value) == 1)
            count.run(CallParams().adding("to", 3))
            try await until { count.error != nil }
            #expect(count.error?.code == .noConnection)
            model.post("set", 5)
            try await until { model.problem != nil }
            await client.resume()
            // Neither the action nor the input is sent now.
            try await daemon.reply(to: "viewModel.bind", Self.whole)
            try await until { count.enabled }
            try await daemon.serves(client)
        }
    }

    @Test func `inputs and actions are sent in their order, and an action has its state and its failure`() async throws
    {
        try await ScriptedDaemon.withClient { daemon, client in
            let model = ObservableModel(Lab(client))
            let count = model.observedAction("count", \.count)
            try await daemon.reply(to: "viewModel.bind", Self.whole)
            try await until { count.enabled }
            for value in 1...5 { model.post("set", value) }
            count.run()
            for value in 1...5 {
                #expect(try await daemon.reply(to: "lab.set", "{}")["params"]?["value"] == .integer(value))
            }
            let call = try await daemon.request("lab.count")
            try await daemon.frame(#"{"id":"lab","seq":2,"values":{"count.executing":true,"count.progress":0.5}}"#)
            try await until { count.executing }
            #expect(count.progress == 0.5)
            try await daemon.refuse(call, -32000, "broken")
            try await until { count.error != nil }
            #expect(count.error?.reply?.message == "broken")
            count.run()
            #expect(count.error == nil)
            let again = try await daemon.request("lab.count")
            count.cancel()
            let cancel = try await daemon.request("$/cancelRequest")
            #expect(cancel["params"]?["id"] == again["id"])
        }
    }

    @Test func `the field of a model has the text, the caret and the refusal`() async throws {
        try await ScriptedDaemon.withClient { daemon, client in
            let field = ModelField(client.field("list", "draft", of: String.self))
            let whole = #"{"id":"list","epoch":"e","seq":1,"full":true,"values":{"draft":"old"}}"#
            try await daemon.reply(to: "viewModel.bind", whole)
            try await until { field.value == "old" }
            field.edit("new ", caret: 4)
            #expect(field.value == "new ")
            #expect(field.caret == 4)
            let input = try await daemon.request("list.draft")
            try await daemon.frame(#"{"id":"list","seq":2,"values":{"draft":"NEW"}}"#)
            try await daemon.answer(input, #"{"seq":2}"#)
            try await until { field.value == "NEW" }
            #expect(field.caret == 3)
        }
    }

    // MARK: - Rows

    private static func rows(_ ids: Range<Int>, of count: Int, epoch: String = "e", _ more: String = "") -> String {
        let rows = ids.map { #"{"id":\#($0),"text":"a"}"# }.joined(separator: ",")
        let list = #"{"offset":\#(ids.lowerBound),"count":\#(count),"rows":[\#(rows)]}"#
        return #"{"id":"lab","epoch":"\#(epoch)","seq":1,"full":true,"values":{"rows":\#(list)}\#(more)}"#
    }

    /// Returns the ids of rows that are there.
    private func ids(_ rows: RemoteRows<Row>, _ range: Range<Int>) -> [Int?] { range.map { rows[$0]?.id } }

    @Test func `rows are as many as in the whole list, and a placeholder asks for its page`() async throws {
        try await ScriptedDaemon.withClient(attachedIn: "e", #","features":["tags","splices"]"#) { daemon, client in
            let rows = RemoteRows<Row>(client, "lab", "rows", page: 10)
            let bind = try await daemon.reply(to: "viewModel.bind", Self.rows(0..<20, of: 1000))
            let window = #"{"rows":{"offset":0,"limit":20,"anchor":true}}"#
            #expect(bind["params"]?["windows"] == JSONValue(text: window))
            #expect(bind["params"]?["splices"] == .bool(true))
            try await until { rows.count == 1000 }
            #expect(ids(rows, 18..<21) == [18, 19, nil])
            var splices: [ListSplice] = []
            rows.onSplice = { splices.append($0) }
            // The last row went before the reply, and no frame has said it.
            let more = #","splices":{"rows":[[999,1,0]]}"#
            let next = try await daemon.reply(to: "viewModel.bind", Self.rows(10..<40, of: 999, more))
            #expect(next["params"]?["windows"]?["rows"]?["offset"] == .integer(10))
            #expect(next["params"]?["windows"]?["rows"]?["limit"] == .integer(30))
            try await until { rows[39]?.id == 39 }
            #expect(splices == [ListSplice(at: 999, removed: 1, inserted: 0)])
            #expect(rows.count == 999)
            #expect(ids(rows, 8..<11) == [nil, nil, 10])
        }
    }

    @Test func `splices move the rows one at a time, and the window stays at its rows`() async throws {
        try await ScriptedDaemon.withClient(attachedIn: "e", #","features":["tags","splices"]"#) { daemon, client in
            let rows = RemoteRows<Row>(client, "lab", "rows", page: 2)
            try await daemon.reply(to: "viewModel.bind", Self.rows(0..<4, of: 9))
            try await until { rows.count == 9 }
            var seen: [String] = []
            rows.onSplicing = { seen.append("before \($0.at) \(rows.count)") }
            rows.onSplice = { splice in
                seen.append("after \(splice.at) \(rows.count) \(rows.map { $0.map { "\($0.id)" } ?? "-" }.joined())")
            }
            rows.onChange = { seen.append("changed \($0)") }
            // Two rows come above the window, one goes inside of it, and one comes there.
            try await daemon.frame(
                #"""
                {"id":"lab","seq":2,"splices":{"rows":[[0,0,2],[3,1,0],[4,0,1]]},"patch":[
                {"op":"remove","path":"/rows/rows/1"},{"op":"add","path":"/rows/rows/2","value":{"id":77,"text":"a"}},
                {"op":"replace","path":"/rows/offset","value":2},{"op":"replace","path":"/rows/count","value":11}]}
                """#.replacing("\n", with: "")
            )
            try await until { rows.count == 11 && rows[4] != nil }
            #expect(
                seen == [
                    "before 0 9", "after 0 11 --0123-----", "before 3 11", "after 3 10 --023-----", "before 4 10",
                    "after 4 11 --02-3-----", "changed 4..<5",
                ]
            )
            #expect(ids(rows, 2..<6) == [0, 2, 77, 3])
        }
    }

    @Test func `a selected row that moves where no rows are loaded is selected again when it is seen`() async throws {
        try await ScriptedDaemon.withClient(attachedIn: "e", #","features":["tags","splices"]"#) { daemon, client in
            let rows = RemoteRows<Row>(client, "lab", "rows", page: 2)
            try await daemon.reply(to: "viewModel.bind", Self.rows(0..<4, of: 99))
            try await until { rows.count == 99 }
            rows.selection = 3
            rows.show(50..<52)
            try await daemon.reply(to: "viewModel.bind", Self.rows(48..<54, of: 99))
            try await until { rows[50] != nil }
            #expect(rows.selection == 3)
            // The first row moves, and then the selected one.
            try await daemon.frame(
                #"""
                {"id":"lab","seq":2,"splices":{"rows":[[0,1,0],[90,0,1],[2,1,0],[3,0,1]]},"patch":[
                {"op":"replace","path":"/rows/offset","value":47}]}
                """#.replacing("\n", with: "")
            )
            try await until { rows.selection == nil }
            rows.show(0..<2)
            try await daemon.reply(to: "viewModel.bind", Self.rows(0..<4, of: 99))
            try await until { rows.selection == 3 }
            rows.selection = nil
            let text = #"{"op":"replace","path":"/rows/rows/0/text","value":"b"}"#
            try await daemon.frame(#"{"id":"lab","seq":2,"patch":[\#(text)]}"#)
            try await until { rows[0]?.text == "b" }
            #expect(rows.selection == nil)
        }
    }

    @Test func `without splices, and in a new session, the whole list is replaced`() async throws {
        try await ScriptedDaemon.withClient(attachedIn: "e") { daemon, client in
            let rows = RemoteRows<Row>(client, "lab", "rows", page: 2)
            let bind = try await daemon.reply(to: "viewModel.bind", Self.rows(0..<4, of: 9))
            let params = #"{"id":"lab","outputs":["rows"],"windows":{"rows":{"offset":0,"limit":4}}}"#
            #expect(bind["params"] == JSONValue(text: params))
            try await until { rows.count == 9 }
            var splices: [ListSplice] = []
            rows.onSplice = { splices.append($0) }
            try await daemon.frame(#"{"id":"lab","seq":2,"patch":[{"op":"replace","path":"/rows/count","value":8}]}"#)
            try await until { rows.count == 8 }
            #expect(splices == [ListSplice(at: 0, removed: 9, inserted: 8)])
            #expect(ids(rows, 0..<4) == [0, 1, 2, 3])
            try await daemon.cut()
            try await daemon.reply(to: "session.attach", ScriptedDaemon.attached("f"))
            try await daemon.reply(to: "viewModel.bind", Self.rows(0..<4, of: 7, epoch: "f"))
            try await until { rows.count == 7 }
            #expect(splices.last == ListSplice(at: 0, removed: 8, inserted: 7))
        }
    }
}

/// A number that a closure counts up.
private final class Counter: @unchecked Sendable {
    private(set) var value = 0

    func increment() { value += 1 }
}
