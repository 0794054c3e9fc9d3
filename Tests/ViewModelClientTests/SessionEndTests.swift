import Testing
import ViewModelClient

/// What a client does after `session.closed` (protocol, section 4).
@Suite(.timeLimit(.minutes(5))) struct SessionEndTests {
    private static func bound(_ epoch: String, _ value: Int, isFull: Bool = true) -> String {
        #"{"id":"own","epoch":"\#(epoch)","seq":1,"full":\#(isFull),"values":{"value":\#(value)}}"#
    }

    private static func ended(_ reason: String, _ more: String = "") -> String {
        #"{"jsonrpc":"2.0","method":"session.closed","params":{"session":"s1","reason":"\#(reason)"\#(more)}}"#
    }

    /// Runs a test with a client that is attached to `s1` with the epoch `e1`.
    private func run(
        _ options: ClientOptions = .inSession(),
        _ test: (ScriptedDaemon, ViewModelClient) async throws -> Void
    ) async throws {
        try await ScriptedDaemon.withClient(options, attachedIn: "e1") { try await test($0, $1) }
    }

    @Test(arguments: ["closed", "failed"])
    func `the client attaches anew, opens its instances, and binds for a full picture`(reason: String) async throws {
        try await run { daemon, client in
            async let id = client.createInstance(of: "lab", CallParams().including("size", 3))
            try await daemon.reply(to: "viewModel.open", #"{"id":"own","type":"lab","created":true}"#)
            #expect(try await id == "own")
            let updates = Task {
                var updates = client.bind("own").makeAsyncIterator()
                let first = try await updates.next()
                return (first, try await updates.next())
            }
            try await daemon.reply(to: "viewModel.bind", Self.bound("e1", 1))
            let plain = Task { try await client.run(action: "own.run") }
            let request = try await daemon.request("own.run")
            let keyed = Task { try await client.run(action: "own.run", options: .retrying) }
            try await daemon.request("own.run")

            try await daemon.say(Self.ended(reason, #","incident":"i1""#))
            // The anonymous session has these replies, which the client ignores.
            try? await daemon.answer(request, "7")
            try await daemon.reply(to: "session.attach", ScriptedDaemon.attached("e2"))
            let open = try await daemon.reply(to: "viewModel.open", #"{"id":"own","type":"lab","created":true}"#)
            #expect(open["params"] == JSONValue(text: #"{"type":"lab","arguments":{"size":3},"id":"own"}"#))
            try await daemon.reply(to: "viewModel.bind", Self.bound("e2", 2))
            let (first, second) = try await updates.value
            #expect(first?.picture["value"] == .integer(1))
            #expect(second?.picture["value"] == .integer(2))
            #expect(second?.isFull == true)
            for call in [plain, keyed] {
                await expectError(.outcomeUnknown) { try await call.value }
            }
        }
    }

    private static func refused(_ request: JSONValue, _ reason: String) -> String {
        #"{"jsonrpc":"2.0","id":\#(request["id"] ?? .null),"error":{"code":-32010,"message":"ended","#
            + #""data":{"session":"s1","reason":"\#(reason)"}}}"#
    }

    @Test(arguments: ["closed", "failed", "stopping"], [true, false])
    func `a call that was refused after the end of its session is repeated`(
        reason: String,
        isToldFirst: Bool
    ) async throws {
        try await run { daemon, client in
            let plain = Task { try await client.run(action: "own.plain") }
            let first = try await daemon.request("own.plain")
            let keyed = Task { try await client.run(action: "own.keyed", options: .retrying) }
            let second = try await daemon.request("own.keyed")
            let unanswered = Task { try await client.run(action: "own.unanswered", options: .retrying) }
            try await daemon.request("own.unanswered")

            let refusals = [Self.refused(first, reason), Self.refused(second, reason)]
            let lines = isToldFirst ? [Self.ended(reason)] + refusals : refusals + [Self.ended(reason)]
            try await daemon.say(lines.joined(separator: "\n"))
            if reason == "stopping" { try await daemon.cut() }
            try await daemon.reply(to: "session.attach", ScriptedDaemon.attached("e2"))
            try await daemon.reply(to: "own.plain", "1")
            try await daemon.reply(to: "own.keyed", "2")
            #expect(try await plain.value == .integer(1))
            #expect(try await keyed.value == .integer(2))
            await expectError(.outcomeUnknown) { try await unanswered.value }
        }
    }

    @Test func `a refusal tells the end of the session, too`() async throws {
        try await run { daemon, client in
            let field = client.field("own", "value", of: Int.self)
            try await daemon.reply(to: "viewModel.bind", Self.bound("e1", 1))
            try await field.settle()
            field.edit(5)
            try await daemon.say(Self.refused(try await daemon.request("own.value"), "closed"))
            try await daemon.reply(to: "session.attach", ScriptedDaemon.attached("e2"))
            try await daemon.reply(to: "viewModel.bind", Self.bound("e2", 0))
            let input = try await daemon.reply(to: "own.value", #"{"seq":2}"#)
            #expect(input["params"]?["value"] == .integer(5))
        }
    }

    @Test func `a client that does not reconnect reports the refusal`() async throws {
        try await run(.inSession { $0.reconnects = false }) { daemon, client in
            let call = Task { try await client.run(action: "own.run") }
            try await daemon.say(Self.refused(try await daemon.request("own.run"), "closed"))
            await expectError(reply: .sessionEnded) { try await call.value }
        }
    }

    @Test func `an instance that was closed is not opened again`() async throws {
        try await run { daemon, client in
            async let id = client.createInstance(of: "lab")
            try await daemon.reply(to: "viewModel.open", #"{"id":"own","type":"lab","created":true}"#)
            _ = try await id
            try await daemon.close("own")
            try await daemon.say(Self.ended("closed"))
            try await daemon.reply(to: "session.attach", ScriptedDaemon.attached("e2"))
            try await daemon.serves(client)
        }
    }

    @Test func `a session that ends soon after the one before is begun after a pause`() async throws {
        let slow = Backoff(initial: .seconds(3600), maximum: .seconds(3600))
        try await run(.inSession { $0.backoff = slow }) { daemon, client in
            var notices = client.notices().makeAsyncIterator()
            // The first one is followed at once. The pauses themselves are those of `Backoff`.
            try await daemon.say(Self.ended("failed"))
            try await daemon.reply(to: "session.attach", ScriptedDaemon.attached("e2"))
            while let notice = await notices.next() {
                if case .connection(.connected(let attachment?)) = notice, attachment.epoch == "e2" { break }
            }
            try await daemon.say(Self.ended("failed"))
            while let notice = await notices.next() {
                if case .connection(.waiting) = notice { break }
            }
            await client.close()
            var next = await notices.next()
            if case .sessionClosed = next { next = await notices.next() }
            guard case .connection(.ended) = next else {
                Issue.record("the client has not waited, but \(String(describing: next))")
                return
            }
        }
    }

    @Test func `a session that has moved ends the client with the name of the machine`() async throws {
        try await run { daemon, client in
            let reader = Task { for try await _ in client.bind("own") {} }
            try await daemon.reply(to: "viewModel.bind", Self.bound("e1", 1))
            let call = Task { try await client.run(action: "own.run", options: .retrying) }
            try await daemon.request("own.run")
            try await daemon.say(Self.ended("moved", #","node":"b7""#))
            let failure = await #expect(throws: ClientError.self) { _ = try await call.value }
            let end = await #expect(throws: ClientError.self) { try await reader.value }
            let later = await #expect(throws: ClientError.self) { try await client.request("a.x") }
            for error in [failure, end, later] {
                #expect(error?.code == .sessionMoved)
                #expect(error?.node == "b7")
            }
            while try await daemon.next() != .disconnected {}
        }
    }

    @Test func `a client that does not reconnect ends with its session`() async throws {
        try await run(.inSession { $0.reconnects = false }) { daemon, client in
            let call = Task { try await client.run(action: "own.run") }
            try await daemon.request("own.run")
            try await daemon.say(Self.ended("closed"))
            await expectError(.outcomeUnknown) { try await call.value }
            await expectError(.sessionClosed) { try await client.request("a.x") }
        }
    }

    @Test func `an anonymous session that failed is followed by another one`() async throws {
        try await ScriptedDaemon.withClient { daemon, client in
            var updates = try await daemon.begin(client.bind("own"), with: Self.bound("e1", 1))
            try await daemon.say(Self.ended("failed").replacing(#""s1""#, with: "null"))
            async let second = daemon.reply(to: "viewModel.bind", Self.bound("e2", 2))
            #expect(try await updates.next()?.picture["value"] == .integer(2))
            _ = try await second
        }
    }
}
