import Testing
import ViewModelClient

@Suite(.timeLimit(.minutes(5))) struct RequestTests {
    @Test func `a call returns the result that its own reply has`() async throws {
        try await ScriptedDaemon.withClient { daemon, client in
            async let first = client.request("a.x")
            let one = try await daemon.request("a.x")
            async let second = client.request("a.y", params: Array("[1]".utf8))
            let two = try await daemon.request("a.y")
            #expect(two["params"] == .array([.integer(1)]))
            try await daemon.answer(two, "2")
            try await daemon.answer(one, "1.0")
            #expect(try await first == Array("1.0".utf8))
            #expect(try await second == Array("2".utf8))
        }
    }

    @Test func `any method is called with JSON`() async throws {
        try await ScriptedDaemon.withClient { daemon, client in
            async let call = client.call("a.x", JSONValue(text: #"{"b":1,"_meta":{"deadline":5}}"#))
            let request = try await daemon.request("a.x")
            #expect(request["params"] == JSONValue(text: #"{"b":1,"_meta":{"deadline":5}}"#))
            try await daemon.answer(request, #"{"c":[2]}"#)
            #expect(try await call["c"]?[0] == .integer(2))
        }
    }

    @Test func `an error has the daemon's code and data`() async throws {
        try await ScriptedDaemon.withClient { daemon, client in
            let call = Task { try await client.run(action: "calculator.undo") }
            let request = try await daemon.request("calculator.undo")
            #expect(request["params"] == .object([:]))
            try await daemon.refuse(request, -32002, "The action is disabled")
            let error = await expectError(.refused) { try await call.value }
            #expect(error?.reply?.code == .disabled)
        }
    }

    @Test func `a message above the limit of the daemon is not sent`() async throws {
        let limit = #","limits":{"messageBytes":200,"other":1}"#
        try await ScriptedDaemon.withClient(attachedIn: "e", limit) { daemon, client in
            let field = client.field("list", "draft", of: String.self)
            let bound = #"{"id":"list","epoch":"e","seq":1,"full":true,"values":{"draft":"old"}}"#
            try await daemon.reply(to: "viewModel.bind", bound)
            try await field.settle()
            let long = String(repeating: "é", count: 80)
            let error = await expectError(reply: .messageTooLarge) {
                try await client.send(input: "list.draft", long, options: .retrying)
            }
            #expect(error?.message.contains("200") == true)

            field.edit(long)
            try await daemon.reply(
                to: "viewModel.read",
                #"{"id":"list","epoch":"e","seq":1,"values":{"draft":"old"}}"#
            )
            await expectError(reply: .messageTooLarge) { try await field.settle() }
            for await content in field.changes() where content.isSettled { break }
            #expect(field.content.value == "old")
            try await daemon.serves(client)
        }
    }

    @Test func `cancelling the task cancels the request`() async throws {
        try await ScriptedDaemon.withClient { daemon, client in
            let task = Task { try await client.run(action: "lab.sleep", ["milliseconds": 60_000]) }
            let request = try await daemon.request("lab.sleep")
            task.cancel()
            let cancellation = try await daemon.request("$/cancelRequest")
            #expect(cancellation["id"] == nil)
            #expect(cancellation["params"]?["id"] == request["id"])
            await #expect(throws: CancellationError.self) { try await task.value }
            try await daemon.refuse(request, -32800)
        }
    }

    @Test func `a call that takes too long is cancelled`() async throws {
        try await ScriptedDaemon.withClient { daemon, client in
            let call = Task { try await client.request("lab.sleep", timeout: .seconds(20)) }
            let request = try await daemon.request("lab.sleep")
            let cancellation = try await daemon.request("$/cancelRequest")
            #expect(cancellation["params"]?["id"] == request["id"])
            await expectError(.timedOut) { try await call.value }
        }
    }

    @Test func `a client that does not reconnect ends with its connection`() async throws {
        try await ScriptedDaemon.withClient(.quick { $0.reconnects = false }) { daemon, client in
            let lost = Task { try await client.request("a.x") }
            try await daemon.request("a.x")
            try await daemon.cut()
            await expectError { try await lost.value }
            await expectError(.connectionLost) { try await client.request("a.y") }
        }
    }

    @Test func `a daemon that refuses the connection says why, and is not asked again`() async throws {
        try await ScriptedDaemon.withClient { daemon, client in
            let call = Task { try await client.request("a.x") }
            try await daemon.request("a.x")
            try await daemon.say(#"{"jsonrpc":"2.0","id":null,"error":{"code":-32005,"message":"Access denied"}}"#)
            await expectError(reply: .accessDenied) { try await call.value }
            try await daemon.cut()
            await expectError(reply: .accessDenied) { try await client.request("a.y") }
        }
    }

    @Test func `a message that was too large fails and no other`() async throws {
        try await ScriptedDaemon.withClient { daemon, client in
            async let small = client.request("a.x")
            let request = try await daemon.request("a.x")
            let large = Task { try await client.send(input: "a.y", String(repeating: "y", count: 2000)) }
            try await daemon.request("a.y")
            try await daemon.say(
                #"{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"x","data":{"limit":1024}}}"#
            )
            await expectError(reply: .messageTooLarge) { try await large.value }
            try await daemon.answer(request, "1")
            #expect(try await small == Array("1".utf8))
        }
    }

    @Test func `a socket on which no process listens is an error that names it`() async {
        let error = await expectError(.noConnection) {
            try await withViewModelClient(socket: "/tmp/no-listener.sock") { _ in }
        }
        #expect(error?.message.contains("/tmp/no-listener.sock") == true)
        #expect(error?.remedy != nil)
    }

    @Test func `a reply of another form is not an error of the daemon`() async throws {
        try await ScriptedDaemon.withClient { daemon, client in
            let call = Task { try await client.send(input: "keypad.press", "7") }
            let request = try await daemon.request("keypad.press")
            #expect(request["params"] == .object(["value": .string("7")]))
            try await daemon.answer(request, #"{"step":1}"#)
            await expectError(.unexpectedReply) { try await call.value }
        }
    }
}
