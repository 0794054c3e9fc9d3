extension Harness {
    /// Runs a part of a test that must look at every change.
    ///
    /// An output that changes must be read after its last change: by `read`, `events`, `isEnabled`, `isExecuting`,
    /// `progress`, `scenes`, `prompts` or `hints`. ``picture`` and ``frames`` look at all outputs.
    ///
    ///     try harness.exhaustively {
    ///         try harness.send(\.inputs.town, "Bonn")
    ///         #expect(try harness.read(\.outputs.town) == "Bonn")
    ///         #expect(try harness.isEnabled(\.actions.look))
    ///     }
    ///
    /// - Parameter body: the part of the test.
    /// - Throws: the error of `body`, or ``HarnessError`` that names each output that was not looked at, with its value
    ///   before and after.
    public func exhaustively(_ body: () throws -> Void) throws {
        let outer = client.watch
        let inner = ChangeWatch(client)
        client.watch = inner
        defer { client.watch = outer }
        try body()
        session.runUntilIdle()
        let unseen = inner.unseen(by: client)
        guard unseen.isEmpty else {
            throw HarnessError("These outputs changed and were not looked at:\n" + unseen.joined(separator: "\n"))
        }
    }

    /// Runs a part of an exhaustive test whose changes need not be looked at.
    ///
    /// - Parameter body: the part of the test.
    /// - Returns: the result of `body`.
    /// - Throws: the error of `body`.
    public func leniently<Result>(_ body: () throws -> Result) rethrows -> Result {
        let result = try body()
        session.runUntilIdle()
        client.watch?.lookAtAll(of: client)
        return result
    }
}

/// The outputs that have changed since a test last looked at them.
final class ChangeWatch {
    /// The values before the first change that the test has not looked at, by binding and output; nil for an event.
    private var unseen: [BindingKey: [String: JSONValue?]] = [:]
    /// The pictures when the frames were last counted.
    private var pictures: [BindingKey: Picture]
    private var frames: Int

    init(_ client: TestClient) {
        pictures = client.pictures
        frames = client.frames.count
    }

    /// Records that the test has looked at an output, or at all outputs of an instance if `output` is nil.
    func look(at output: String?, of instance: String, _ client: TestClient) {
        count(client)
        for binding in unseen.keys where binding.instance == instance {
            if let output {
                unseen[binding]?.removeValue(forKey: output)
            } else {
                unseen[binding] = nil
            }
        }
    }

    /// Records that the test has looked at all outputs.
    func lookAtAll(of client: TestClient) {
        count(client)
        unseen = [:]
    }

    /// Returns a line for each output that has changed and was not looked at.
    func unseen(by client: TestClient) -> [String] {
        count(client)
        return unseen.flatMap { binding, outputs in
            outputs.compactMap { output, before -> String? in
                guard let before else { return "\(binding).\(output): an event" }
                let after = pictures[binding]?[output] ?? .null
                return before == after ? nil : "\(binding).\(output): \(before) → \(after)"
            }
        }.sorted()
    }

    private func count(_ client: TestClient) {
        let all = client.frames
        for frame in all.dropFirst(frames) {
            for output in frame.outputs where unseen[frame.params.key]?.keys.contains(output) != true {
                let isEvent = frame.events.contains { $0.output == output }
                let before: JSONValue? = isEvent ? Optional.none : pictures[frame.params.key]?[output] ?? .null
                unseen[frame.params.key, default: [:]].updateValue(before, forKey: output)
            }
        }
        frames = all.count
        pictures = client.pictures
    }
}
