import ViewModelClient

/// The binding of one of the demo's clients to an instance.
struct DemoViewer {
    private var updates: BindingUpdates.Iterator
    /// The latest update.
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
            throw CommandFailure(status: .failed, message: "The binding ended")
        }
        latest = update
    }

    /// Waits until the picture is that of a step or of a later one.
    mutating func follow(to step: Int) async throws {
        while picture.map({ $0.seq < step }) ?? true { try await receive() }
    }
}
