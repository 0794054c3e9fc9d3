import Testing
import ViewModelClient

/// What a client does with calls under way when the connection breaks.
@Suite(.timeLimit(.minutes(5))) struct ReconnectTests {
    @Test func `a call with a key is repeated, as it was, after the attach`() async throws {
        try await ScriptedDaemon.withClient(attachedIn: "e") { daemon, client in
            async let call = client.run(action: "list.add", 1, options: .retrying, returning: Int.self)
            let first = try await daemon.request("list.add")
            try await daemon.cut()
            try await daemon.reply(to: "session.attach", ScriptedDaemon.attached("e"))
            let second = try await daemon.request("list.add")
            #expect(second["params"] == first["params"])
            #expect(second["params"]?["_meta"]?["key"]?.stringValue?.isEmpty == false)
            try await daemon.answer(second, "7")
            #expect(try await call == 7)
            #expect(await client.attachment?.epoch == "e")
        }
    }

    @Test(arguments: [(CallOptions(), "e1"), (.retrying, "e2")])
    func `a call without a key is not repeated, nor is one with a key in a session that began anew`(
        options: CallOptions,
        epoch: String
    ) async throws {
        try await ScriptedDaemon.withClient(attachedIn: "e1") { daemon, client in
            let call = Task { try await client.run(action: "list.add", 1, options: options) }
            try await daemon.request("list.add")
            try await daemon.cut()
            try await daemon.reply(to: "session.attach", ScriptedDaemon.attached(epoch))
            let error = await expectError(.outcomeUnknown) { try await call.value }
            #expect(error?.remedy != nil)
            try await daemon.serves(client)
        }
    }

    @Test func `a call with a key in an anonymous session has an unknown outcome`() async throws {
        try await ScriptedDaemon.withClient { daemon, client in
            let call = Task { try await client.run(action: "list.add", options: .retrying) }
            try await daemon.request("list.add")
            try await daemon.cut()
            await expectError(.outcomeUnknown) { try await call.value }
        }
    }

    @Test func `a call with a key that was cancelled while the line was broken is not repeated`() async throws {
        try await ScriptedDaemon.withClient(attachedIn: "e") { daemon, client in
            let call = Task { try await client.run(action: "list.add", options: .retrying) }
            try await daemon.request("list.add")
            try await daemon.cut()
            let attach = try await daemon.request("session.attach")
            call.cancel()
            await #expect(throws: CancellationError.self) { try await call.value }
            try await daemon.answer(attach, ScriptedDaemon.attached("e"))
            async let later = client.request("a.y")
            // The cancellation may still be sent; the call is not.
            while true {
                guard case .line(let line) = try await daemon.next() else { continue }
                #expect(line["method"] != .string("list.add"))
                // On a busy machine the client may have given up the attach and repeat it.
                if line["method"] == .string("session.attach") {
                    try await daemon.answer(line, ScriptedDaemon.attached("e"))
                }
                guard line["method"] == .string("a.y") else { continue }
                try await daemon.answer(line, "1")
                break
            }
            _ = try await later
        }
    }

    @Test func `the states of the connection, the contract and the end of a session are told`() async throws {
        let options = ClientOptions.inSession { $0.contract = "c0" }
        try await ScriptedDaemon.withClient(options, attachedIn: "e") { daemon, client in
            var notices = client.notices().makeAsyncIterator()
            #expect(await notices.next()?.brief == "connected in e")
            try await daemon.cut()
            #expect(await notices.next()?.brief == "waiting after connectionLost")
            #expect(await notices.next()?.brief == "connecting")
            try await daemon.reply(to: "session.attach", ScriptedDaemon.attached("e"))
            #expect(await notices.next() == .contractDiffers(expected: "c0", found: "c1"))
            #expect(await notices.next()?.brief == "connected in e")
            try await daemon.close()
            #expect(await notices.next() == .instanceClosed(id: "lab"))
            try await daemon.say(
                #"{"jsonrpc":"2.0","method":"session.closed","params":{"session":"s1","reason":"closed"}}"#
            )
            #expect(await notices.next()?.brief == "s1 is closed")
            #expect(await notices.next()?.brief == "waiting after sessionClosed")
            #expect(await notices.next()?.brief == "connecting")
            try await daemon.reply(to: "session.attach", ScriptedDaemon.attached("f"))
            var next = await notices.next()
            if case .contractDiffers = next { next = await notices.next() }
            #expect(next?.brief == "connected in f")
            await client.close()
            #expect(await notices.next()?.brief == "ended")
            #expect(await notices.next() == nil)
        }
    }

    @Test func `a client that requires its contract ends at another one`() async throws {
        let options = ClientOptions.inSession { ($0.contract, $0.requiresContract) = ("c0", true) }
        try await ScriptedDaemon.run { daemon in
            let welcome = Task { try await daemon.reply(to: "session.attach", ScriptedDaemon.attached("e")) }
            await expectError(.contractDiffers) {
                try await withViewModelClient(socket: daemon.socket, options: options) { _ in }
            }
            _ = try await welcome.value
        }
    }

    @Test func `what is not an action has a time limit, and an action has none`() async throws {
        try await ScriptedDaemon.withClient(.quick { $0.timeout = .milliseconds(50) }) { daemon, client in
            let action = Task { try await client.run(action: "a.act", returning: Int.self) }
            let request = try await daemon.request("a.act")
            // The input begins later, and its time is over earlier.
            await expectError(.timedOut) { try await client.send(input: "a.in", 1) }
            try await daemon.answer(request, "5")
            #expect(try await action.value == 5)
        }
    }

    @Test func `a binding without a reply fails in time, and a resumed one makes the client reconnect`() async throws {
        try await ScriptedDaemon.withClient(.quick { $0.timeout = .milliseconds(100) }) { _, client in
            await expectError(.timedOut) { for try await _ in client.bind("lab") {} }
        }
        // The first binding has to be answered in this time, also on a busy machine.
        try await ScriptedDaemon.withClient(.quick { $0.timeout = .seconds(10) }) { daemon, client in
            var updates = try await daemon.begin(client.bind("lab"))
            try await daemon.cut()
            try await daemon.request("viewModel.bind")
            // No answer: the client gives the connection up and tries again.
            let edits = #"{"id":"lab","epoch":"e","seq":5,"full":false,"values":{"value":2}}"#
            async let _: Void = daemon.alwaysReply(to: "viewModel.bind", edits)
            #expect(try await updates.next()?.picture["value"] == .integer(2))
        }
    }

    @Test func `a connection with signs of life is kept, and one on which nothing comes is left`() async throws {
        try await ScriptedDaemon.withClient(.quick { $0.silence = .milliseconds(200) }) { daemon, client in
            // A call waits on each connection.
            let calls = Task {
                while !Task.isCancelled { _ = try? await client.run(action: "lab.sleep") }
            }
            // Where the answer were no sign of life, the client would not ask twice on one connection.
            var asked = 0
            while asked < 3 {
                switch try await daemon.next() {
                case .connected, .disconnected: asked = 0
                case .line(let line) where line["method"] == .string("$/cancelRequest") && line["id"] != nil:
                    asked += 1
                    try? await daemon.answer(line, "null")
                case .line: break
                }
            }
            while try await daemon.next() != .disconnected {}
            while try await daemon.next() != .connected {}
            calls.cancel()
            await calls.value
        }
    }

    @Test func `deadline and key are in the params`() async throws {
        try await ScriptedDaemon.withClient { daemon, client in
            async let call = client.run(
                action: "a.x",
                CallParams().including("b", 1).adding("c", String?.none),
                options: CallOptions(deadline: .milliseconds(1500), key: "k")
            )
            let request = try await daemon.request("a.x")
            #expect(request["params"] == JSONValue(text: #"{"b":1,"_meta":{"deadline":1500,"key":"k"}}"#))
            try await daemon.answer(request, "null")
            _ = try await call
            async let input = client.send(input: "a.y", options: CallOptions(key: "k"))
            let second = try await daemon.request("a.y")
            #expect(second["params"] == JSONValue(text: #"{"_meta":{"key":"k"}}"#))
            try await daemon.answer(second, #"{"seq":3}"#)
            #expect(try await input == 3)
        }
    }
}

extension ClientNotice {
    /// The notice in a few words.
    fileprivate var brief: String {
        switch self {
        case .connection(.connected(let attachment)): "connected in \(attachment?.epoch ?? "none")"
        case .connection(.waiting(let error)): "waiting after \(error.code.name)"
        case .connection(.connecting): "connecting"
        case .connection(.suspended): "suspended"
        case .connection(.ended): "ended"
        case .contractDiffers(_, let found): "found \(found)"
        case .sessionClosed(let end): "\(end.session ?? "it") is \(end.reason)"
        case .instanceClosed(let id): "\(id) is gone"
        }
    }
}
