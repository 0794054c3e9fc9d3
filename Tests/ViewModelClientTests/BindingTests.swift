import Testing
import ViewModelClient

@Suite(.timeLimit(.minutes(5))) struct BindingTests {
    @Test func `the first update is the picture, then one comes a frame`() async throws {
        try await ScriptedDaemon.withClient { daemon, client in
            var updates = client.bind("lab", outputs: ["value", "rows"], minInterval: 5).makeAsyncIterator()
            async let answered: Void = {
                let request = try await daemon.request("viewModel.bind")
                #expect(
                    request["params"]
                        == JSONValue(text: #"{"id":"lab","outputs":["value","rows"],"minInterval":5}"#)
                )
                try await daemon.answer(request, ScriptedDaemon.whole)
                try await daemon.frame(#"{"id":"lab","seq":5,"values":{"value":2}}"#)
                try await daemon.frame(
                    #"{"id":"lab","seq":6,"patch":[{"op":"add","path":"/rows/0","value":{"id":1}}],"#
                        + #""events":[{"output":"bell","value":"x"}]}"#
                )
            }()
            let first = try #require(await updates.next())
            #expect(first.isFull)
            #expect(first.picture.values == ["value": .integer(1), "rows": .array([])])
            let second = try #require(await updates.next())
            #expect(!second.isFull)
            #expect(second.picture["value"] == .integer(2))
            #expect(second.change.outputs == ["value"])
            let third = try #require(await updates.next())
            #expect(third.picture["rows"] == .array([.object(["id": .integer(1)])]))
            #expect(third.change.events == [OutputEvent(output: "bell", value: .string("x"))])
            #expect(third.picture.seq == 6)
            try await answered
        }
    }

    @Test func `a binding is resumed in its session where its picture stands`() async throws {
        let options = ClientOptions.quick { $0.session = SessionAttach.Params(linger: 60) }
        try await ScriptedDaemon.withClient(options, attachedIn: "e") { daemon, client in
            var updates = try await daemon.begin(client.bind("lab"))
            try await daemon.cut()
            let attach = try await daemon.reply(to: "session.attach", ScriptedDaemon.attached("e"))
            #expect(attach["params"] == JSONValue(text: #"{"session":"s1","linger":60}"#))
            let resumed = #"{"id":"lab","epoch":"e","seq":9,"full":false,"values":{"value":7}}"#
            let bind = try await daemon.reply(to: "viewModel.bind", resumed)
            #expect(bind["params"]?["since"] == JSONValue(text: #"{"epoch":"e","seq":4}"#))

            let update = try #require(await updates.next())
            #expect(!update.isFull)
            #expect(update.picture.values == ["value": .integer(7), "rows": .array([])])
            #expect(update.picture.since == Since(epoch: "e", seq: 9))
        }
    }

    @Test func `a patch that does not fit makes the client ask for the whole picture`() async throws {
        try await ScriptedDaemon.withClient { daemon, client in
            var updates = try await daemon.begin(client.bind("lab"))
            try await daemon.frame(#"{"id":"lab","seq":5,"patch":[{"op":"remove","path":"/rows/3"}]}"#)
            let bind = try await daemon.request("viewModel.bind")
            #expect(bind["params"]?["since"] == nil)
            try await daemon.frame(#"{"id":"lab","seq":6,"values":{"value":99}}"#)
            try await daemon.answer(bind, ScriptedDaemon.whole)
            let update = try #require(await updates.next())
            #expect(update.isFull)
            #expect(update.picture["value"] == .integer(1))
        }
    }

    @Test func `a binding without a reader is ended`() async throws {
        try await ScriptedDaemon.withClient { daemon, client in
            async let bound = daemon.reply(to: "viewModel.bind", ScriptedDaemon.whole)
            for try await _ in client.bind("lab") { break }
            _ = try await bound
            let unbind = try await daemon.request("viewModel.unbind")
            #expect(unbind["params"] == .object(["id": .string("lab")]))
        }
    }

    @Test func `a closed instance ends the sequence`() async throws {
        try await ScriptedDaemon.withClient { daemon, client in
            async let told: Void = {
                try await daemon.reply(to: "viewModel.bind", ScriptedDaemon.whole)
                try await daemon.close()
            }()
            var count = 0
            for try await _ in client.bind("lab") { count += 1 }
            #expect(count == 1)
            try await told
        }
    }

    @Test func `a refused binding throws the daemon's error`() async throws {
        try await ScriptedDaemon.withClient { daemon, client in
            async let refused: Void = {
                try await daemon.refuse(try await daemon.request("viewModel.bind"), -32004)
            }()
            await expectError(reply: .notFound) {
                for try await _ in client.bind("lap") {}
            }
            try await refused
        }
    }

    @Test func `a binding that a stopping daemon refuses begins on the next connection`() async throws {
        try await ScriptedDaemon.withClient { daemon, client in
            let first = Task {
                var updates = client.bind("lab").makeAsyncIterator()
                return try await updates.next()
            }
            try await daemon.refuse(try await daemon.request("viewModel.bind"), -32007)
            try await daemon.cut()
            try await daemon.reply(to: "viewModel.bind", ScriptedDaemon.whole)
            #expect(try await first.value?.isFull == true)
        }
    }

    @Test func `a suspended client stays away until it is resumed`() async throws {
        try await ScriptedDaemon.withClient { daemon, client in
            #expect(try await daemon.next() == .connected)
            await client.suspend()
            #expect(try await daemon.next() == .disconnected)
            async let call = client.request("a.x")
            await client.resume()
            #expect(try await daemon.next() == .connected)
            try await daemon.answer(try await daemon.request("a.x"), "1")
            #expect(try await call == Array("1".utf8))
        }
    }
}
