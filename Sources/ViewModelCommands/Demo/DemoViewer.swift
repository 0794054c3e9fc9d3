import ViewModelClient

/// One of the demo's clients looking at an instance.
struct DemoViewer {
    private var updates: BindingUpdates.Iterator
    /// The last update that came.
    private(set) var latest: BindingUpdate?

    init(_ client: ViewModelClient, _ instance: String, _ outputs: [String]) {
        updates = client.bind(instance, outputs: outputs).makeAsyncIterator()
    }

    var picture: Picture? { latest?.picture }

    /// The picture in a few words, for an error.
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

    /// Waits until the picture is that of a step, or of one after it.
    mutating func follow(to step: Int) async throws {
        while picture.map({ $0.seq < step }) ?? true { try await receive() }
    }
}
