import Testing
import ViewModelClient

/// Waiting, scrolling, and several readers of one binding.
@Suite(.timeLimit(.minutes(5))) struct SharedBindingTests {
    @Test func `wait returns the first picture that satisfies the condition`() async throws {
        try await ScriptedDaemon.withClient { daemon, client in
            async let waited = client.wait(for: "lab", timeout: .seconds(60)) { $0["value"] == .integer(3) }
            try await daemon.reply(to: "viewModel.bind", ScriptedDaemon.whole)
            for value in 2...3 {
                try await daemon.frame(#"{"id":"lab","seq":\#(value + 3),"values":{"value":\#(value)}}"#)
            }
            #expect(try await waited.seq == 6)
            try await daemon.request("viewModel.unbind")
        }
    }

    @Test func `wait times out, and fails if the instance is closed`() async throws {
        try await ScriptedDaemon.withClient { daemon, client in
            do {
                // Another reader has the binding, so that nothing has to be sent within the time limit.
                let updates = try await daemon.begin(client.bind("lab"))
                await expectError(.timedOut) {
                    try await client.wait(for: "lab", timeout: .milliseconds(50)) { _ in false }
                }
                withExtendedLifetime(updates) {}
            }
            try await daemon.request("viewModel.unbind")
            let closed = Task { try await client.wait(for: "lab") { _ in false } }
            try await daemon.reply(to: "viewModel.bind", ScriptedDaemon.whole)
            try await daemon.close()
            await expectError(.bindingEnded) { try await closed.value }
        }
    }

    @Test func `a window is scrolled by one call, and frames before the reply are of the former window`() async throws {
        func window(_ offset: Int, _ text: String, seq: Int) -> String {
            #"{"id":"lab","epoch":"e","seq":\#(seq),"full":true,"#
                + #""values":{"rows":{"offset":\#(offset),"count":9,"rows":[{"id":\#(offset),"text":"\#(text)"}]}}}"#
        }
        try await ScriptedDaemon.withClient { daemon, client in
            let binding = client.bind("lab", outputs: ["rows"], windows: ["rows": Window(offset: 0, limit: 1)])
            async let first = binding.picture()
            try await daemon.reply(to: "viewModel.bind", window(0, "a", seq: 1))
            _ = try await first
            async let scrolled = binding.scroll("rows", to: Window(offset: 5, limit: 1))
            let bind = try await daemon.request("viewModel.bind")
            #expect(bind["params"]?["windows"] == JSONValue(text: #"{"rows":{"offset":5,"limit":1}}"#))
            #expect(bind["params"]?["since"] == nil)
            try await daemon.frame(
                #"{"id":"lab","seq":2,"patch":[{"op":"replace","path":"/rows/rows/0/text","value":"b"}]}"#
            )
            try await daemon.answer(bind, window(5, "f", seq: 2))
            let picture = try await scrolled
            #expect(picture["rows"]?["offset"] == .integer(5))
            var texts: [String] = []
            for try await update in binding {
                texts.append(update.picture["rows"]?["rows"]?[0]?["text"]?.stringValue ?? "")
                if texts.last == "f" { break }
            }
            #expect(texts == ["f"])
        }
    }

    @Test func `a binding that was scrolled while the line broke is resumed first, because of its events`() async throws
    {
        try await ScriptedDaemon.withClient { daemon, client in
            let binding = client.bind("lab", windows: ["rows": Window(offset: 0, limit: 1)])
            async let first = binding.picture()
            try await daemon.reply(to: "viewModel.bind", ScriptedDaemon.whole)
            _ = try await first
            async let scrolled = binding.scroll("rows", to: Window(offset: 5, limit: 1))
            try await daemon.request("viewModel.bind")
            try await daemon.cut()
            let resumed = try await daemon.request("viewModel.bind")
            #expect(resumed["params"]?["since"] == JSONValue(text: #"{"epoch":"e","seq":4}"#))
            #expect(resumed["params"]?["windows"]?["rows"]?["offset"] == .integer(0))
            let again = try await daemon.request("viewModel.bind")
            #expect(again["params"]?["since"] == nil)
            #expect(again["params"]?["windows"]?["rows"]?["offset"] == .integer(5))
            try await daemon.answer(
                resumed,
                #"{"id":"lab","epoch":"e","seq":6,"full":false,"values":{},"events":[{"output":"bell","value":1}]}"#
            )
            try await daemon.answer(again, #"{"id":"lab","epoch":"e","seq":6,"full":true,"values":{"value":2}}"#)
            #expect(try await scrolled["value"] == .integer(2))
        }
    }

    @Test func `each reader of a binding gets all updates, beginning with the picture`() async throws {
        try await ScriptedDaemon.withClient { daemon, client in
            let binding = client.bind("lab")
            var one = try await daemon.begin(binding)
            var two = binding.makeAsyncIterator()
            let first = try #require(await two.next())
            #expect(first.isFull)
            #expect(first.change.outputs == ["value", "rows"])
            try await daemon.frame(#"{"id":"lab","seq":5,"values":{"value":2}}"#)
            #expect(try await one.next()?.picture.seq == 5)
            #expect(try await two.next()?.picture.seq == 5)
        }
    }
}
