import Testing
import ViewModelHost
import ViewModelKit
import ViewModelProtocol
import ViewModelTesting

@testable import Scenarios

@Suite struct `Two loops on threads of their own` {
    /// A client that only remembers; confined to its loop.
    private final class Client: MessageSink {
        var peer: RPCPeer?
        var messages: [JSONValue] = []
        var unread: [String] = []
        var isReady: Bool { true }
        private(set) var isFinished = false

        func write(_ body: (inout JSONWriter) -> Void) {
            var writer = JSONWriter()
            body(&writer)
            messages.append(JSONValue(text: writer.bytes) ?? .null)
        }

        func resumeReading() {
            while !unread.isEmpty, peer?.messagesWait == false {
                Array(unread.removeFirst().utf8).withUnsafeBytes { peer?.receive($0) }
            }
        }

        func finish() { isFinished = true }

        func send(_ id: Int, _ method: String, _ params: String) {
            unread.append(#"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)","params":\#(params)}"#)
            resumeReading()
        }
    }

    private func connect(_ host: Host, on loop: ThreadLoop) -> LoopConfined<Client> {
        loop.run {
            let client = Client()
            client.peer = RPCPeer(host: host, loop: loop, identity: ClientIdentity(uid: 1, pid: 1), sink: client)
            return LoopConfined(client, on: loop)
        }
    }

    /// Waits until every request of the client is answered.
    private func answers(of client: LoopConfined<Client>, on loop: ThreadLoop, count: Int) async -> [JSONValue] {
        while true {
            let messages = loop.run { client.value.messages }
            if messages.count(where: { $0["id"] != nil }) >= count { return messages }
            await Task.yield()
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func `serve clients of one session from both sides at once`() async throws {
        let harness = SessionHarness(try Board.catalog(Effect()))
        let loops = [ThreadLoop(), ThreadLoop()]
        let clients = loops.map { connect(harness.host, on: $0) }
        // As many as may be unanswered at once.
        let rounds = 250
        // The session is made on the first loop, and the second client comes from elsewhere.
        for (client, loop) in zip(clients, loops) {
            loop.execute { client.value.send(1, "session.attach", #"{"session":"desk"}"#) }
            _ = await answers(of: client, on: loop, count: 1)
        }
        for (client, loop) in zip(clients, loops) {
            loop.execute {
                client.value.send(2, "viewModel.bind", #"{"id":"board"}"#)
                for round in 0..<rounds {
                    switch round % 3 {
                    case 0: client.value.send(3 + round, "board.set", "[\(round)]")
                    case 1: client.value.send(3 + round, "board.put", "[\(round)]")
                    default:
                        client.value.send(3 + round, "board.edit", #"{"kind":"insert","index":0,"number":\#(round)}"#)
                    }
                }
            }
        }
        for (client, loop) in zip(clients, loops) {
            _ = await answers(of: client, on: loop, count: rounds + 2)
        }
        // Both have everything: what the second one causes last has come back to the first.
        for (client, loop) in zip(clients, loops) {
            loop.execute { client.value.send(100_000, "viewModel.read", #"{"id":"board"}"#) }
        }
        for (client, loop) in zip(clients, loops) {
            let messages = await answers(of: client, on: loop, count: rounds + 3)
            #expect(messages.allSatisfy { $0["error"] == nil })
            let ids = messages.compactMap { $0["id"]?.intValue }
            #expect(Set(ids).count == ids.count)
            let bind = try #require(messages.first { $0["id"] == 2 })
            var picture = Picture(try #require(bind["result"]).decoded(as: ViewModelBind.Result.self))
            for message in messages where message["method"] == "viewModel.changed" {
                let frame = try #require(message["params"]).decoded(as: ViewModelChanged.Params.self)
                #expect(frame.seq > picture.seq)
                try picture.apply(frame)
            }
            let read = messages.first { $0["id"] == 100_000 }?["result"]
            #expect(picture.seq == read?["seq"]?.intValue)
            #expect(picture.values == read?["values"]?.objectValue)
        }
        for (client, loop) in zip(clients, loops) {
            loop.run { client.value.peer?.connectionClosed() }
        }
        for loop in loops { loop.stop() }
    }

    @Test(.timeLimit(.minutes(5)))
    func `have the same value of the user, each in a session of its own`() async throws {
        var catalog = ViewModelCatalog()
        try catalog.host(Preference.self) { _ in Preference() }
        let harness = SessionHarness(catalog)
        let loops = [ThreadLoop(), ThreadLoop()]
        let clients = loops.map { connect(harness.host, on: $0) }
        let rounds = 100
        for (number, (client, loop)) in zip(clients, loops).enumerated() {
            loop.execute {
                client.value.send(1, "session.attach", #"{"session":"room\#(number)"}"#)
                client.value.send(2, "viewModel.bind", #"{"id":"preference"}"#)
            }
            _ = await answers(of: client, on: loop, count: 2)
        }
        // Both sessions write at once, and each step ends with a different value.
        for (number, (client, loop)) in zip(clients, loops).enumerated() {
            loop.execute {
                for round in 0..<rounds {
                    client.value.send(3 + round, "preference.skip", "[\"\(number)-\(round)\"]")
                }
            }
        }
        for (client, loop) in zip(clients, loops) {
            _ = await answers(of: client, on: loop, count: rounds + 2)
        }
        let kept = try #require(harness.host.lasting.value(.init(owner: "preference", name: "skip"), of: .user(1)))
        let last = try #require(JSONValue(text: kept.text))
        // What the other session has written may still be on its way.
        for (client, loop) in zip(clients, loops) {
            while try shown(loop.run { client.value.messages }) != last { await Task.yield() }
        }
        for (client, loop) in zip(clients, loops) {
            loop.run { client.value.peer?.connectionClosed() }
        }
        for loop in loops { loop.stop() }
    }

    /// Returns the value of the preference that a client shows.
    private func shown(_ messages: [JSONValue]) throws -> JSONValue? {
        let bind = try #require(messages.first { $0["id"] == 2 })
        var picture = Picture(try #require(bind["result"]).decoded(as: ViewModelBind.Result.self))
        for message in messages where message["method"] == "viewModel.changed" {
            try picture.apply(try #require(message["params"]).decoded(as: ViewModelChanged.Params.self))
        }
        return picture.values["skip"]
    }
}

/// A preference of a user.
@ViewModel
private final class Preference {
    @Field(.user) var skip = "30"
}
