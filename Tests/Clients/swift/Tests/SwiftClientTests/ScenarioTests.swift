import LabClient
import Testing

/// What a generated client adds to the runtime, against the real daemon.
///
/// `ViewModelClientTests` and `ClientFaultTests` have the runtime itself: lost connections, keys, deadlines.
@Suite(.timeLimit(.minutes(3))) struct ScenarioTests {
    private static func options(_ session: String = "desk") -> ClientOptions {
        var options = ClientOptions()
        options.session = SessionAttach.Params(session: SessionName(session), linger: 60)
        options.backoff = Backoff(initial: .milliseconds(10), maximum: .milliseconds(100))
        return options
    }

    /// Runs a test with a daemon and a client in a named session.
    private func run(_ test: (LabDaemon, ViewModelClient) async throws -> Void) async throws {
        try await LabDaemon.run { daemon in
            try await withViewModelClient(socket: daemon.socket, options: Self.options()) { client in
                try await test(daemon, client)
            }
        }
    }

    @Test func `bind: pictures are typed and follow the inputs`() async throws {
        try await run { _, client in
            var updates = client.calculator.bind().makeAsyncIterator()
            let first = try #require(await updates.next())
            #expect(first.isFull)
            #expect(first.picture.led == "0")
            #expect(!first.picture.undo.enabled)
            for key in [Key._1, .plus, ._2, .equals] { try await client.calculator.press(key) }
            let last = try await client.calculator.wait(timeout: .seconds(60)) { $0.led == "3" }
            #expect(last.operations.count > 0)
            #expect(last.undo.enabled)
            try await client.calculator.undo()
        }
    }

    @Test func `edit: a field shows what became of its value`() async throws {
        try await run { _, client in
            let draft = client.sendList.draftField()
            for text in ["B", "Ba", "Ban", "Bananas"] { draft.edit(text, caret: text.count) }
            #expect(draft.content.value == "Bananas")
            #expect(try await draft.settle(timeout: .seconds(60)) == "Bananas")
            #expect(try await client.sendList.read().draft == "Bananas")
            try await client.sendList.add()
            for await content in draft.changes() where content.value == "" { break }
            #expect(draft.content.caret == 0)
        }
    }

    @Test func `windows: a list is scrolled by one call`() async throws {
        try await run { _, client in
            try await client.lab.append(1000)
            let binding = client.lab.bind(LabWindows(rows: Window(offset: 0, limit: 10)))
            let first = try await binding.picture()
            #expect(first.rows.map(\.text) == (1...10).map { "row \($0)" })
            #expect(first.rows.total == 1000)
            let second = try await binding.scroll(\.rows, to: Window(offset: 500, limit: 5))
            #expect(second.rows.first?.id == 501)
            #expect(second.rows.count == 5)
            #expect(second.rows.offset == 500)
            try await client.lab.update(id: 503, text: "changed")
            try await binding.wait(timeout: .seconds(60)) { $0.rows.contains { $0.text == "changed" } }
        }
    }

    @Test func `events: each comes once, in order`() async throws {
        try await run { _, client in
            // A reader gets the events since its first update.
            var updates = client.lab.bind().makeAsyncIterator()
            _ = try await updates.next()
            for text in ["a", "b", "last"] { try await client.lab.ring(text) }
            var texts: [String] = []
            while texts.last != "last", let update = try await updates.next() {
                for case .bell(let text) in update.events { texts.append(text) }
            }
            #expect(texts == ["a", "b", "last"])
        }
    }

    @Test func `prompts: a question is answered, and a late answer is a declared failure`() async throws {
        try await run { _, client in
            async let choice = client.lab.ask(title: "Really?")
            let picture = try await client.prompter.wait(timeout: .seconds(60)) { !$0.pending.isEmpty }
            let prompt = try #require(picture.pending.first)
            #expect(prompt.title == "Really?")
            #expect(prompt.kind == .confirm)
            try await client.prompter.answer(id: prompt.id, button: "ok")
            #expect(try await choice.button == "ok")
            let error = await #expect(throws: ClientError.self) {
                try await client.prompter.answer(id: prompt.id, button: "ok")
            }
            #expect(error.flatMap { PrompterFailure($0) } == .alreadyAnswered)
        }
    }

    @Test func `errors: codes, failures, and the place of a wrong value`() async throws {
        try await run { _, client in
            let failed = await #expect(throws: ClientError.self) {
                try await client.lab.fail(error: "teapot", retryable: true)
            }
            #expect(failed?.failure?.error == "teapot")
            #expect(failed?.failure?.isRetryable == true)
            let disabled = await #expect(throws: ClientError.self) { try await client.calculator.undo() }
            #expect(disabled?.reply?.code == .disabled)
            let invalid = await #expect(throws: ClientError.self) {
                try await client.calculator.press(.unknown("x"))
            }
            #expect(invalid?.reply?.code == .invalidParams)
            #expect(invalid?.reply?.data?["path"] == .string("/value"))
            let missing = await #expect(throws: ClientError.self) { try await Lab(client, id: "nowhere").read() }
            #expect(missing?.reply?.code == .notFound)
            let trap = await #expect(throws: ClientError.self) { try await client.lab.trap() }
            #expect(trap?.incident != nil)
        }
    }

    @Test(arguments: [true, false])
    func `daemon restart: the session is attached again, bound again, and a field sends its value`(
        inOrder: Bool
    ) async throws {
        try await run { daemon, client in
            var states = client.connectionStates().makeAsyncIterator()
            let before = await client.attachment
            let draft = client.sendList.draftField()
            try await draft.settle(timeout: .seconds(60))
            var updates = client.calculator.bind().makeAsyncIterator()
            #expect(try await updates.next()?.picture.led == "0")
            if inOrder { daemon.stop() } else { daemon.kill() }
            while let state = await states.next(), state.isConnected {}
            let kept = Task { try await client.lab.sleep(milliseconds: 1, options: .retrying) }
            draft.edit("typed meanwhile", caret: 5)
            try await daemon.start()
            // A call made without a connection waits for the next one.
            #expect(try await kept.value.slept == 1)
            #expect(try await draft.settle(timeout: .seconds(60)) == "typed meanwhile")
            #expect(draft.content.caret == 5)
            #expect(await client.attachment?.session == "desk")
            #expect(await client.attachment?.epoch != before?.epoch)
            #expect(try await updates.next()?.isFull == true)
        }
    }

    @Test func `the daemon has the contract that this client was generated from`() async throws {
        try await run { _, client in
            // If this fails, write the file anew: viewmodelctl rpc rpc.discover > …/lab.contract.json
            #expect(await client.attachment?.contract == GeneratedContract.hash)
        }
    }
}
