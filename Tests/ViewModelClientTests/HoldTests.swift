import Foundation
import Testing
import ViewModelClient

/// Several holders of one instance, and a client that connects in the background.
@Suite(.timeLimit(.minutes(5))) struct HoldTests {
    /// The members of an attach reply of a daemon with tags.
    private static let tags = #","features":["tags","splices"]"#

    private static func reply(_ values: String, _ more: String = "") -> String {
        #"{"id":"lab","epoch":"e","seq":4,"full":true,"values":{\#(values)}\#(more)}"#
    }

    @Test func `without tags the holders share a binding, and each gets its own outputs`() async throws {
        try await ScriptedDaemon.withClient { daemon, client in
            var one = try await daemon.begin(client.bind("lab", outputs: ["value"]), with: Self.reply(#""value":1"#))
            do {
                var two = client.bind("lab", outputs: ["rows"], minInterval: 5).makeAsyncIterator()
                async let bound = daemon.reply(to: "viewModel.bind", ScriptedDaemon.whole)
                #expect(try await two.next()?.picture.values == ["rows": .array([])])
                let params = try await bound["params"]
                #expect(params == JSONValue(text: #"{"id":"lab","outputs":["value","rows"]}"#))
                try await daemon.frame(#"{"id":"lab","seq":5,"values":{"rows":[{"id":1}]}}"#)
                try await daemon.frame(#"{"id":"lab","seq":6,"values":{"value":2}}"#)
                #expect(try await two.next()?.change.outputs == ["rows"])
            }
            // The first update after the picture: neither the second holder nor its rows were one.
            let update = try #require(await one.next())
            #expect(update.picture.seq == 6)
            #expect(update.picture.values == ["value": .integer(2)])
            let rest = try await daemon.reply(to: "viewModel.bind", Self.reply(#""value":2"#))
            #expect(rest["params"] == JSONValue(text: #"{"id":"lab","outputs":["value"]}"#))
            try await daemon.frame(#"{"id":"lab","seq":7,"values":{"value":3}}"#)
            #expect(try await one.next()?.picture["value"] == .integer(3))
        }
    }

    @Test func `with tags each holder has a binding of its own`() async throws {
        try await ScriptedDaemon.withClient(attachedIn: "e", Self.tags) { daemon, client in
            var one = try await daemon.begin(client.bind("lab", outputs: ["value"]), with: Self.reply(#""value":1"#))
            var tag = ""
            do {
                var two = client.bind("lab", outputs: ["value", "rows"]).makeAsyncIterator()
                let bind = Task { try await daemon.request("viewModel.bind") }
                let first = Task { [two] in
                    var two = two
                    return try await two.next()
                }
                tag = try #require(try await bind.value["params"]?["tag"]?.stringValue)
                try await daemon.answer(try await bind.value, ScriptedDaemon.whole)
                #expect(try await first.value?.picture.values.count == 2)
                try await daemon.frame(#"{"id":"lab","tag":"\#(tag)","seq":5,"values":{"value":7}}"#)
                #expect(try await two.next()?.picture["value"] == .integer(7))
            }
            let unbind = try await daemon.request("viewModel.unbind")
            #expect(unbind["params"] == JSONValue(text: #"{"id":"lab","tag":"\#(tag)"}"#))
            try await daemon.frame(#"{"id":"lab","seq":6,"values":{"value":8}}"#)
            #expect(try await one.next()?.picture["value"] == .integer(8))
        }
    }

    @Test func `without tags the windows of holders are parts of one window`() async throws {
        try await ScriptedDaemon.withClient { daemon, client in
            func bind(_ offset: Int, _ limit: Int) -> ViewModelBinding {
                client.bind("lab", outputs: ["rows"], windows: ["rows": Window(offset: offset, limit: limit)])
            }
            func rows(_ start: Int, _ count: Int) -> String {
                let rows = (start..<start + count).map { #"{"id":\#($0)}"# }.joined(separator: ",")
                return Self.reply(#""rows":{"offset":\#(start),"count":9,"rows":[\#(rows)]}"#)
            }
            let one = bind(1, 2)
            var first = try await daemon.begin(one, with: rows(1, 2))
            var second = bind(4, 3).makeAsyncIterator()
            async let both = daemon.reply(to: "viewModel.bind", rows(1, 6))
            let part = try #require(await second.next()?.picture["rows"])
            #expect(part["offset"] == .integer(4))
            #expect(part["count"] == .integer(9))
            #expect(part["rows"]?.arrayValue?.compactMap { $0["id"]?.intValue } == [4, 5, 6])
            #expect(try await both["params"]?["windows"] == JSONValue(text: #"{"rows":{"offset":1,"limit":6}}"#))
            try await daemon.frame(#"{"id":"lab","seq":5,"patch":[{"op":"replace","path":"/rows/count","value":8}]}"#)
            let update = try #require(await first.next()?.picture["rows"])
            #expect(update["count"] == .integer(8))
            #expect(update["rows"]?.arrayValue?.compactMap { $0["id"]?.intValue } == [1, 2])
        }
    }

    @Test func `a holder that is refused leaves the others alone`() async throws {
        try await ScriptedDaemon.withClient { daemon, client in
            var one = try await daemon.begin(client.bind("lab", outputs: ["value"]), with: Self.reply(#""value":1"#))
            let two = Task { try await client.bind("lab", outputs: ["nope"]).picture() }
            try await daemon.refuse(try await daemon.request("viewModel.bind"), -32602)
            await expectError(reply: .invalidParams) { try await two.value }
            let again = try await daemon.reply(to: "viewModel.bind", Self.reply(#""value":1"#))
            #expect(again["params"]?["outputs"] == JSONValue(text: #"["value"]"#))
            try await daemon.frame(#"{"id":"lab","seq":5,"values":{"value":2}}"#)
            #expect(try await one.next()?.picture["value"] == .integer(2))
        }
    }

    @Test func `a shared binding is resumed once, for all its holders`() async throws {
        try await ScriptedDaemon.withClient(attachedIn: "e") { daemon, client in
            var one = try await daemon.begin(client.bind("lab", outputs: ["value"]), with: Self.reply(#""value":1"#))
            var two = try await daemon.begin(client.bind("lab", outputs: ["rows"]), with: ScriptedDaemon.whole)
            try await daemon.cut()
            try await daemon.reply(to: "session.attach", ScriptedDaemon.attached("e"))
            let resumed = #"{"id":"lab","epoch":"e","seq":9,"full":false,"values":{"value":7,"rows":[{"id":1}]}}"#
            let bind = try await daemon.reply(to: "viewModel.bind", resumed)
            #expect(bind["params"]?["since"] == JSONValue(text: #"{"epoch":"e","seq":4}"#))
            #expect(bind["params"]?["outputs"] == JSONValue(text: #"["value","rows"]"#))
            #expect(try await one.next()?.picture.values == ["value": .integer(7)])
            #expect(try await two.next()?.picture["rows"]?.arrayValue?.count == 1)
            try await daemon.serves(client)
        }
    }

    @Test func `a client that was started waits for its daemon, and ends when it is closed`() async throws {
        try await ScriptedDaemon.run { daemon in
            let socket = daemon.socket + "-later"
            defer { try? FileManager.default.removeItem(atPath: socket) }
            let client = ViewModelClient(socket: socket, options: .quick())
            client.start()
            var states = client.connectionStates().makeAsyncIterator()
            #expect(await states.next() == .connecting)
            guard case .waiting(let error)? = await states.next() else {
                Issue.record("The client does not wait")
                return
            }
            #expect(error.code == .noConnection)
            try FileManager.default.createSymbolicLink(atPath: socket, withDestinationPath: daemon.socket)
            while let state = await states.next(), !state.isConnected {}
            try await daemon.serves(client)
            await client.close()
            var last: ConnectionState?
            while let state = await states.next() { last = state }
            guard case .ended(let end)? = last else {
                Issue.record("The client does not end")
                return
            }
            #expect(end.code == .closed)
        }
    }
}
