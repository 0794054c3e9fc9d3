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
            let error = await #expect(throws: ClientError.self) { try await call.value }
            #expect(error?.code == .refused)
            #expect(error?.reply?.code == .disabled)
        }
    }

    @Test func `a message above the limit of the daemon is not sent`() async throws {
        try await ScriptedDaemon.run { daemon in
            var options = ClientOptions()
            options.session = SessionAttach.Params(session: SessionName("s1"))
            let welcome = Task {
                try await daemon.reply(
                    to: "session.attach",
                    #"{"session":"s1","created":true,"restored":false,"epoch":"e","linger":60,"protocol":1,"contract":"c","#
                        + #""daemon":{"name":"viewmodeld","version":"1"},"limits":{"messageBytes":200,"other":1}}"#
                )
            }
            try await withViewModelClient(socket: daemon.socket, options: options) { client in
                _ = try await welcome.value
                let field = client.field("list", "draft", of: String.self)
                let bound = #"{"id":"list","epoch":"e","seq":1,"full":true,"values":{"draft":"old"}}"#
                try await daemon.reply(to: "viewModel.bind", bound)
                try await field.settle()
                let long = String(repeating: "é", count: 80)
                let error = await #expect(throws: ClientError.self) {
                    try await client.send(input: "list.draft", long, options: .retrying)
                }
                #expect(error?.reply?.code == .messageTooLarge)
                #expect(error?.message.contains("200") == true)

                field.edit(long)
                try await daemon.reply(
                    to: "viewModel.read",
                    #"{"id":"list","epoch":"e","seq":1,"values":{"draft":"old"}}"#
                )
                let refusal = await #expect(throws: ClientError.self) { try await field.settle() }
                #expect(refusal?.reply?.code == .messageTooLarge)
                for await content in field.changes() where content.isSettled { break }
                #expect(field.content.value == "old")
                async let short = client.request("a.x")
                try await daemon.reply(to: "a.x", "1")
                _ = try await short
            }
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
            let call = Task { try await client.request("lab.sleep", timeout: .seconds(5)) }
            let request = try await daemon.request("lab.sleep")
            let cancellation = try await daemon.request("$/cancelRequest")
            #expect(cancellation["params"]?["id"] == request["id"])
            let error = await #expect(throws: ClientError.self) { try await call.value }
            #expect(error?.code == .timedOut)
        }
    }

    @Test func `calls without a reply fail with their connection, and later calls wait for the next one`() async throws
    {
        try await ScriptedDaemon.withClient { daemon, client in
            let lost = Task { try await client.request("a.x") }
            try await daemon.request("a.x")
            try await daemon.cut()
            let error = await #expect(throws: ClientError.self) { try await lost.value }
            #expect(error?.code == .outcomeUnknown)
            async let later = client.request("a.y")
            try await daemon.answer(try await daemon.request("a.y"), "true")
            #expect(try await later == Array("true".utf8))
        }
    }

    @Test func `a client that does not reconnect ends with its connection`() async throws {
        try await ScriptedDaemon.run { daemon in
            var options = ClientOptions()
            options.reconnects = false
            try await withViewModelClient(socket: daemon.socket, options: options) { client in
                let lost = Task { try await client.request("a.x") }
                try await daemon.request("a.x")
                try await daemon.cut()
                await #expect(throws: ClientError.self) { try await lost.value }
                let error = await #expect(throws: ClientError.self) { try await client.request("a.y") }
                #expect(error?.code == .connectionLost)
            }
        }
    }

    @Test func `a daemon that refuses the connection says why, and is not asked again`() async throws {
        try await ScriptedDaemon.withClient { daemon, client in
            let call = Task { try await client.request("a.x") }
            try await daemon.request("a.x")
            try await daemon.say(#"{"jsonrpc":"2.0","id":null,"error":{"code":-32005,"message":"Access denied"}}"#)
            let error = await #expect(throws: ClientError.self) { try await call.value }
            #expect(error?.reply?.code == .accessDenied)
            try await daemon.cut()
            let later = await #expect(throws: ClientError.self) { try await client.request("a.y") }
            #expect(later?.reply?.code == .accessDenied)
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
            let error = await #expect(throws: ClientError.self) { try await large.value }
            #expect(error?.reply?.code == .messageTooLarge)
            try await daemon.answer(request, "1")
            #expect(try await small == Array("1".utf8))
        }
    }

    @Test func `a socket on which no process listens is an error that names it`() async {
        let error = await #expect(throws: ClientError.self) {
            try await withViewModelClient(socket: "/tmp/no-listener.sock") { _ in }
        }
        #expect(error?.code == .noConnection)
        #expect(error?.message.contains("/tmp/no-listener.sock") == true)
        #expect(error?.remedy != nil)
    }

    @Test func `a reply of another form is not an error of the daemon`() async throws {
        try await ScriptedDaemon.withClient { daemon, client in
            let call = Task { try await client.send(input: "keypad.press", "7") }
            let request = try await daemon.request("keypad.press")
            #expect(request["params"] == .object(["value": .string("7")]))
            try await daemon.answer(request, #"{"step":1}"#)
            let error = await #expect(throws: ClientError.self) { try await call.value }
            #expect(error?.code == .unexpectedReply)
        }
    }
}
