import Rainbow
import UnixIO
import ViewModelClient
import ViewModelCommands

/// The scenes of the demo: two clients of one calculator, with explanations and the lines that cross the sockets.
struct DemoScript {
    private static let instance = "calculator"

    let socket: String

    func run() async throws {
        try Self.explain("A and B attach to one session: they see the same ViewModels")
        try await withViewModelClient(socket: socket, options: options("A")) { first in
            try await withViewModelClient(socket: socket, options: options("B")) { second in
                try await run(first, second)
            }
        }
    }

    static func explain(_ text: String) throws {
        try Descriptor.output.write(line: "\n" + "# \(text)".bold)
    }

    /// Returns the options of a client whose lines are shown as they cross the socket.
    private func options(_ name: String) -> ClientOptions {
        var options = ClientOptions()
        let client = ClientInfo(name: "demo-\(name)")
        options.session = SessionAttach.Params(session: SessionName("demo"), linger: 60, client: client)
        options.trace = { direction, line in
            let arrow = direction == .sent ? "-->".cyan : "<--".green
            try? Descriptor.output.write(line: "\(name.bold) \(arrow) \(String(decoding: line, as: UTF8.self))")
        }
        return options
    }

    /// Begins a scene after a pause in which the reader can follow the one before it.
    private func begin(_ text: String) async throws {
        if Descriptor.output.isTerminal { try await Task.sleep(for: .milliseconds(600)) }
        try Self.explain(text)
    }

    private func run(_ first: ViewModelClient, _ second: ViewModelClient) async throws {
        try await begin("Both bind the calculator: the picture now, and each change from now on")
        let outputs = ["led", "operations", "undo.enabled"]
        var left = first.bind(Self.instance, outputs: outputs).makeAsyncIterator()
        var right = second.bind(Self.instance, outputs: outputs).makeAsyncIterator()
        _ = try await update(&left)
        _ = try await update(&right)

        try await begin("A types 12 +, B types 3 =: one frame a step for each of them")
        _ = try await press("12+", by: first)
        let sum = try await press("3=", by: second)
        try check(try await update(&left, from: sum), try await update(&right, from: sum), led: "15")

        try await begin("B's connection breaks; A goes on: * 2 =")
        await second.suspend()
        let product = try await press("*2=", by: first)
        let shown = try await update(&left, from: product)

        try await begin("B reconnects, attaches and binds since its last step; the reply has only the changes")
        await second.resume()
        let resumed = try await update(&right, from: product)
        guard !resumed.isFull else {
            throw CommandFailure(.failed, "B got the whole picture where only the change is expected")
        }
        try check(shown, resumed, led: "30")

        if Descriptor.output.isTerminal { try await Task.sleep(for: .milliseconds(600)) }
        await first.close()
        await second.close()
        let changed = resumed.change.outputs.sorted().joined(separator: " and ")
        try Self.explain("Only \(changed) came, and both see the same: 12 + 3 = 15, * 2 = 30")
    }

    /// Presses keys one by one and returns the step number of the last one.
    private func press(_ keys: String, by client: ViewModelClient) async throws -> Int {
        var step = 0
        for key in keys { step = try await client.send(input: "\(Self.instance).press", String(key)) }
        return step
    }

    /// Waits for the update of a step or of a later one.
    private func update(_ updates: inout ViewModelBinding.Iterator, from step: Int = 0) async throws -> BindingUpdate {
        while let update = try await updates.next() {
            if update.picture.seq >= step { return update }
        }
        throw CommandFailure(.failed, "The binding ended")
    }

    private func check(_ left: BindingUpdate, _ right: BindingUpdate, led: String) throws {
        guard left.picture.values != right.picture.values || left.picture["led"] != .string(led) else { return }
        let shown = [left, right].map { "\(JSONValue.object($0.picture.values)) at \($0.picture.seq)" }
        throw CommandFailure(
            .failed,
            "The pictures are not the same, or not \(led): A has \(shown[0]), B has \(shown[1])"
        )
    }
}
