import Testing
import ViewModelClient

/// What a client does with calls under way when the connection breaks.
@Suite(.timeLimit(.minutes(5))) struct ReconnectTests {
    private static var inSession: ClientOptions {
        var options = ClientOptions()
        options.session = SessionAttach.Params(session: SessionName("s1"))
        options.backoff = Backoff(initial: .milliseconds(1), maximum: .milliseconds(5))
        return options
    }

    @Test func `a call with a key is repeated, as it was, after the attach`() async throws {
        try await ScriptedDaemon.withClient(Self.inSession, attachedIn: "e") { daemon, client in
            async let call = client.run(action: "list.add", 1, options: .retrying, returning: Int.self)
            let first = try await daemon.request("list.add")
            try await daemon.cut()
            try await daemon.reply(to: "session.attach", ScriptedDaemon.attached("e"))
            let second = try await daemon.request("list.add")
            #expect(second["params"] == first["params"])
            #expect(second["params"]?["_meta"]?["key"]?.stringValue?.isEmpty == false)
            try await daemon.answer(second, "7")
            #expect(try await call == 7)
        }
    }

    @Test func `a call with a key is not repeated in a session that began anew`() async throws {
        try await ScriptedDaemon.withClient(Self.inSession, attachedIn: "e1") { daemon, client in
            let call = Task { try await client.run(action: "list.add", 1, options: .retrying) }
            try await daemon.request("list.add")
            try await daemon.cut()
            try await daemon.reply(to: "session.attach", ScriptedDaemon.attached("e2"))
            let error = await #expect(throws: ClientError.self) { try await call.value }
            #expect(error?.code == .outcomeUnknown)
            async let later = client.request("a.y")
            try await daemon.answer(try await daemon.request("a.y"), "1")
            _ = try await later
        }
    }

    @Test func `a call with a key in an anonymous session has an unknown outcome`() async throws {
        try await ScriptedDaemon.withClient { daemon, client in
            let call = Task { try await client.run(action: "list.add", options: .retrying) }
            try await daemon.request("list.add")
            try await daemon.cut()
            let error = await #expect(throws: ClientError.self) { try await call.value }
            #expect(error?.code == .outcomeUnknown)
        }
    }

    @Test func `a call without a key is not repeated`() async throws {
        try await ScriptedDaemon.withClient(Self.inSession, attachedIn: "e") { daemon, client in
            let call = Task { try await client.send(input: "list.draft", "a") }
            try await daemon.request("list.draft")
            try await daemon.cut()
            let error = await #expect(throws: ClientError.self) { try await call.value }
            #expect(error?.code == .outcomeUnknown)
            #expect(error?.remedy != nil)
            try await daemon.reply(to: "session.attach", ScriptedDaemon.attached("e"))
            async let later = client.request("a.y")
            try await daemon.answer(try await daemon.request("a.y"), "1")
            _ = try await later
        }
    }

    @Test func `a call with a key that was cancelled while the line was broken is not repeated`() async throws {
        try await ScriptedDaemon.withClient(Self.inSession, attachedIn: "e") { daemon, client in
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

    @Test func `an attach whose reply was lost is repeated`() async throws {
        try await ScriptedDaemon.run { daemon in
            let welcome = Task {
                try await daemon.request("session.attach")
                try await daemon.cut()
                return try await daemon.reply(to: "session.attach", ScriptedDaemon.attached("e"))
            }
            try await withViewModelClient(socket: daemon.socket, options: Self.inSession) { client in
                _ = try await welcome.value
                #expect(await client.attachment?.epoch == "e")
            }
        }
    }

    @Test func `the states of the connection, the contract and the end of a session are told`() async throws {
        var options = Self.inSession
        options.contract = "c0"
        try await ScriptedDaemon.withClient(options, attachedIn: "e") { daemon, client in
            var notices = client.notices().makeAsyncIterator()
            guard case .connection(.connected(let result?)) = await notices.next() else {
                Issue.record("the first notice is the present state")
                return
            }
            #expect(result.contract == "c1")
            try await daemon.cut()
            guard case .connection(.waiting(let error)) = await notices.next() else {
                Issue.record("the loss is told")
                return
            }
            #expect(error.code == .connectionLost)
            #expect(await notices.next() == .connection(.connecting))
            try await daemon.reply(to: "session.attach", ScriptedDaemon.attached("e"))
            #expect(await notices.next() == .contractDiffers(expected: "c0", found: "c1"))
            guard case .connection(.connected) = await notices.next() else {
                Issue.record("the new connection is told")
                return
            }
            try await daemon.say(#"{"jsonrpc":"2.0","method":"viewModel.closed","params":{"id":"lab"}}"#)
            #expect(await notices.next() == .instanceClosed(id: "lab"))
            try await daemon.say(
                #"{"jsonrpc":"2.0","method":"session.closed","params":{"session":"s1","reason":"closed"}}"#
            )
            let end = await notices.next()
            guard case .sessionClosed(let notice) = end else {
                Issue.record("the end of the session is told, not \(String(describing: end))")
                return
            }
            #expect(notice.session == "s1")
            #expect(notice.reason == "closed")
            guard case .connection(.waiting(let reason)) = await notices.next() else {
                Issue.record("the client attaches to a new session")
                return
            }
            #expect(reason.code == .sessionClosed)
            #expect(await notices.next() == .connection(.connecting))
            try await daemon.reply(to: "session.attach", ScriptedDaemon.attached("f"))
            var next = await notices.next()
            if case .contractDiffers = next { next = await notices.next() }
            guard case .connection(.connected(let again?)) = next, again.epoch == "f" else {
                Issue.record("the client is in a new session, not \(String(describing: next))")
                return
            }
            await client.close()
            let last = await notices.next()
            guard case .connection(.ended) = last else {
                Issue.record("the end of the client is told, not \(String(describing: last))")
                return
            }
            #expect(await notices.next() == nil)
        }
    }

    @Test func `a client that requires its contract ends at another one`() async throws {
        var options = Self.inSession
        options.contract = "c0"
        options.requiresContract = true
        try await ScriptedDaemon.run { daemon in
            let welcome = Task { try await daemon.reply(to: "session.attach", ScriptedDaemon.attached("e")) }
            let error = await #expect(throws: ClientError.self) {
                try await withViewModelClient(socket: daemon.socket, options: options) { _ in }
            }
            #expect(error?.code == .contractDiffers)
            _ = try await welcome.value
        }
    }

    @Test func `what is not an action has a time limit, and an action has none`() async throws {
        var options = ClientOptions()
        options.timeout = .milliseconds(50)
        try await ScriptedDaemon.withClient(options) { daemon, client in
            let action = Task { try await client.run(action: "a.act", returning: Int.self) }
            let request = try await daemon.request("a.act")
            // The input begins later, and its time is over earlier.
            let error = await #expect(throws: ClientError.self) { try await client.send(input: "a.in", 1) }
            #expect(error?.code == .timedOut)
            try await daemon.answer(request, "5")
            #expect(try await action.value == 5)
        }
    }

    @Test func `a binding without a reply fails in time, and a resumed one makes the client reconnect`() async throws {
        try await ScriptedDaemon.run { daemon in
            var options = ClientOptions()
            options.timeout = .milliseconds(100)
            options.backoff = Backoff(initial: .milliseconds(1), maximum: .milliseconds(5))
            try await withViewModelClient(socket: daemon.socket, options: options) { client in
                let error = await #expect(throws: ClientError.self) {
                    for try await _ in client.bind("lab") {}
                }
                #expect(error?.code == .timedOut)
            }
        }
        try await ScriptedDaemon.run { daemon in
            var options = ClientOptions()
            // The first binding has to be answered in this time, also on a busy machine.
            options.timeout = .seconds(10)
            options.backoff = Backoff(initial: .milliseconds(1), maximum: .milliseconds(5))
            try await withViewModelClient(socket: daemon.socket, options: options) { client in
                var updates = client.bind("lab").makeAsyncIterator()
                let whole = #"{"id":"lab","epoch":"e","seq":4,"full":true,"values":{"value":1}}"#
                async let bound = daemon.reply(to: "viewModel.bind", whole)
                _ = try await updates.next()
                _ = try await bound
                try await daemon.cut()
                try await daemon.request("viewModel.bind")
                // No answer: the client gives the connection up and tries again.
                let edits = #"{"id":"lab","epoch":"e","seq":5,"full":false,"values":{"value":2}}"#
                async let _: Void = daemon.alwaysReply(to: "viewModel.bind", edits)
                #expect(try await updates.next()?.picture["value"] == .integer(2))
            }
        }
    }

    @Test func `a connection on which nothing comes is left, and one with signs of life is not`() async throws {
        try await ScriptedDaemon.run { daemon in
            var options = ClientOptions()
            // A busy machine has as long for each reply.
            options.silence = .seconds(12)
            options.backoff = Backoff(initial: .milliseconds(1), maximum: .milliseconds(5))
            try await withViewModelClient(socket: daemon.socket, options: options) { client in
                let call = Task { try await client.run(action: "lab.sleep") }
                try await daemon.request("lab.sleep")
                for _ in 1...2 { try await daemon.reply(to: ScriptedDaemon.signOfLife, "null") }
                #expect(await client.connectionState.isConnected)
                try await daemon.request(ScriptedDaemon.signOfLife)
                while try await daemon.next() != .disconnected {}
                let error = await #expect(throws: ClientError.self) { _ = try await call.value }
                #expect(error?.code == .outcomeUnknown)
                async let again = client.request("a.x")
                try await daemon.reply(to: "a.x", "1")
                _ = try await again
            }
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
