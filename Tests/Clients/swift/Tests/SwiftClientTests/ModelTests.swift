import LabClient
import Testing

/// The generated models of user interfaces, against the real daemon.
@MainActor
@Suite(.timeLimit(.minutes(3))) struct ModelTests {
    private static func options(_ session: String = "desk") -> ClientOptions {
        var options = ClientOptions()
        options.session = SessionAttach.Params(session: SessionName(session), linger: 60)
        options.backoff = Backoff(initial: .milliseconds(10), maximum: .milliseconds(100))
        return options
    }

    /// Runs a test with a daemon and a client that was started before it.
    private func run(_ test: (LabDaemon, ViewModelClient) async throws -> Void) async throws {
        try await LabDaemon.run { daemon in
            let client = ViewModelClient(socket: daemon.socket, options: Self.options())
            client.start()
            do {
                try await test(daemon, client)
            } catch {
                await client.close()
                throw error
            }
            await client.close()
        }
    }

    /// Waits for a condition.
    private func until(_ condition: () -> Bool) async throws {
        while !condition() { try await Task.sleep(for: .milliseconds(2)) }
    }

    @Test func `a calculator: outputs, an input in its order, and an action with its state`() async throws {
        try await run { _, client in
            let model = CalculatorModel(client)
            #expect(model.led == nil)
            #expect(!model.undoAction.enabled)
            try await until { model.led == "0" && model.isOnline }
            for key in [Key._1, ._2, .plus, ._3, .equals] { model.press(key) }
            try await until { model.led == "15" }
            try await until { model.undoAction.enabled }
            model.undo()
            try await until { model.led != "15" }
            #expect(model.undoAction.error == nil)
        }
    }

    @Test func `an action: executing, progress, cancel, and a failure`() async throws {
        try await run { _, client in
            let model = LabModel(client)
            try await until { model.sleepAction.enabled }
            model.sleep(milliseconds: 60_000)
            try await until { model.sleepAction.executing && !model.sleepAction.enabled }
            model.sleepAction.cancel()
            try await until { !model.sleepAction.executing && model.sleepAction.enabled }
            #expect(model.sleepAction.error == nil)
            model.fail(error: "teapot")
            try await until { model.failAction.error != nil }
            #expect(model.failAction.error?.failure?.error == "teapot")
        }
    }

    @Test func `a killed daemon: actions are off, and what was typed comes back`() async throws {
        try await run { daemon, client in
            let model = SendListModel(client)
            try await until { model.draft.value == "" }
            model.draft.edit("milk", caret: 2)
            try await client.sendList.wait(timeout: .seconds(60)) { $0.draft == "milk" }
            try await until { model.addAction.enabled }
            daemon.kill()
            try await until { !model.isOnline }
            #expect(!model.addAction.enabled)
            #expect(model.draft.value == "milk")
            model.add()
            try await until { model.addAction.error != nil }
            #expect(model.addAction.error?.code == .noConnection)
            try await daemon.start()
            try await until { model.addAction.enabled }
            try await client.sendList.wait(timeout: .seconds(60)) { $0.draft == "milk" }
            #expect(model.draft.caret == 2)
        }
    }

    @Test func `rows: the selection and what is read stay while rows come, go and move, in two lives of the daemon`()
        async throws
    {
        try await run { daemon, client in
            let model = LabModel(client)
            for life in 0..<2 {
                try await until { model.isOnline }
                try await client.lab.append(20_000)
                let rows = model.rows
                try await until { rows.count == 20_000 }
                rows.show(500..<540)
                try await until { rows[520]?.id == 521 && rows[500]?.id == 501 }
                rows.selection = 520
                // The place of the first row that is visible.
                var top = 500
                rows.onSplice = { splice in
                    if splice.at <= top { top += splice.inserted - splice.removed }
                }
                try await withViewModelClient(socket: daemon.socket, options: Self.options()) { other in
                    for step in 0..<200 {
                        switch step % 5 {
                        case 0:
                            try await other.lab.append(1)
                            // Above the window or below it.
                            try await other.lab.move(from: 20_000, to: Bool.random() ? .random(in: 0..<400) : 18_000)
                        case 1: try await other.lab.removeRows([step + 1])
                        case 2: try await other.lab.update(id: 530, text: "changed \(step)")
                        case 3:
                            // A row that moves stays selected if it is loaded.
                            rows.show(top..<top + 40)
                            try await other.lab.update(id: 521, text: "step \(step)")
                            try await until { rows.selection.flatMap { rows[$0]?.text } == "step \(step)" }
                            let place = try #require(rows.selection)
                            let target = place + (step % 2 == 0 ? 1 : -1)
                            try await other.lab.move(from: place, to: target)
                            try await until { rows.selection == target }
                        default: rows.show(step % 2 == 0 ? 0..<40 : top..<top + 40)
                        }
                    }
                }
                rows.show(top..<top + 40)
                // The last change that the window has to show.
                try await client.lab.update(id: 521, text: "last \(life)")
                try await until { rows.selection.flatMap { rows[$0]?.text } == "last \(life)" }
                let all = try await client.lab.read().rows
                #expect(rows.count == all.total)
                #expect(rows.selection.map { all.rows[$0].id } == 521)
                for index in top..<top + 40 { #expect(rows[index] == all.rows[index]) }
                if life == 0 {
                    daemon.kill()
                    try await until { !model.isOnline }
                    try await daemon.start()
                    try await until { rows.isEmpty }
                    #expect(rows.selection == nil)
                }
            }
        }
    }
}
