import ViewModelClient
import ViewModelCommands

struct DemoScript {
    private static let instance = "calculator"
    private static let outputs = ["led", "operations", "undo.enabled"]

    let output: DemoOutput
    let socket: String

    func run() async throws {
        let session = SessionAttach.Params(session: SessionName("demo"), linger: 60)
        try output.explain("A and B attach to one session: they see the same ViewModels")
        try await withViewModelClient(socket: socket, options: options("A", session)) { first in
            try await withViewModelClient(socket: socket, options: options("B", session)) { second in
                try await run(first, second)
            }
        }
    }

    private func options(_ name: String, _ session: SessionAttach.Params) -> ClientOptions {
        var options = ClientOptions()
        options.session = session
        options.session?.client = ClientInfo(name: "demo-\(name)")
        options.trace = output.trace(name)
        return options
    }

    private func run(_ first: ViewModelClient, _ second: ViewModelClient) async throws {
        try await output.waitForReader()
        try output.explain("Both bind the calculator: the picture now, and each change from now on")
        var left = DemoViewer(first, Self.instance, Self.outputs)
        var right = DemoViewer(second, Self.instance, Self.outputs)
        try await left.receive()
        try await right.receive()

        try await output.waitForReader()
        try output.explain("A types 12 +, B types 3 =: one frame a step for each of them")
        try await press("12+", by: first)
        let sum = try await press("3=", by: second)
        try await left.follow(to: sum)
        try await right.follow(to: sum)
        try check(left, right, led: "15")

        try await output.waitForReader()
        try output.explain("B's connection breaks; A goes on: * 2 =")
        await second.suspend()
        let known = right.picture
        let product = try await press("*2=", by: first)
        try await left.follow(to: product)

        try await output.waitForReader()
        try output.explain("B reconnects, attaches and binds since its last step; the reply has only the changes")
        await second.resume()
        try await right.follow(to: product)
        guard let resumed = right.latest, !resumed.isFull, known?.epoch == right.picture?.epoch else {
            throw CommandFailure(.failed, "B got the whole picture where only the change is expected")
        }
        try check(left, right, led: "30")

        try await output.waitForReader()
        await first.close()
        await second.close()
        let changed = resumed.change.outputs.sorted().joined(separator: " and ")
        try output.explain("Only \(changed) came, and both see the same: 12 + 3 = 15, * 2 = 30")
    }

    /// Presses keys one by one and returns the step number of the last one.
    @discardableResult
    private func press(_ keys: String, by client: ViewModelClient) async throws -> Int {
        var step = 0
        for key in keys { step = try await client.send(input: "\(Self.instance).press", String(key)) }
        return step
    }

    private func check(_ left: DemoViewer, _ right: DemoViewer, led: String) throws {
        guard let one = left.picture, let other = right.picture, one.values == other.values, one["led"] == .string(led)
        else {
            throw CommandFailure(
                .failed,
                "The pictures are not the same, or not \(led): A has \(left.summary), B has \(right.summary)"
            )
        }
    }
}

/// The binding of one of the demo's clients to an instance.
struct DemoViewer {
    private var updates: ViewModelBinding.Iterator
    private(set) var latest: BindingUpdate?

    init(_ client: ViewModelClient, _ instance: String, _ outputs: [String]) {
        updates = client.bind(instance, outputs: outputs).makeAsyncIterator()
    }

    var picture: Picture? { latest?.picture }

    /// A short text of the picture for an error.
    var summary: String {
        picture.map { "\(JSONValue.object($0.values)) at \($0.seq)" } ?? "nothing"
    }

    /// Waits for the next update.
    mutating func receive() async throws {
        guard let update = try await updates.next() else {
            throw CommandFailure(.failed, "The binding ended")
        }
        latest = update
    }

    /// Waits until the picture is that of a step or of a later one.
    mutating func follow(to step: Int) async throws {
        while picture.map({ $0.seq < step }) ?? true { try await receive() }
    }
}
