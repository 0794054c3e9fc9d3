import UnixIO
import ViewModelClient

/// The command of `viewmodelctl watch --exec`, which runs for each frame.
struct FrameCommand: Sendable {
    /// The command, for `/bin/sh -c`.
    let command: String
    /// The daemon's socket, for clients that the command starts.
    let socket: String
    let session: String?

    /// Runs the command for the updates, one at a time, until they end or `count` frames were handled.
    ///
    /// - Parameters:
    ///   - updates: The updates. Those that come while the command runs are merged.
    ///   - count: The number of runs after the first one, or nil.
    ///   - filter: The filter for secrets, which the command does not get.
    /// - Returns: The exit status of the last of `count` runs.
    /// - Throws: The error that ends the updates; ``CommandFailure`` if the instance was closed.
    func run(for updates: ViewModelBinding, count: Int?, _ filter: SecretFilter) async throws -> Int32 {
        let mailbox = UpdateMailbox()
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                do {
                    for try await update in updates { await mailbox.put(update) }
                    await mailbox.end(nil)
                } catch {
                    await mailbox.end(error)
                }
            }
            defer { group.cancelAll() }
            var left = count
            var isFirst = true
            while let update = try await mailbox.next() {
                let status = try await run(WatchLine(filter.filtered(update)))
                try Task.checkCancellation()
                if status != 0 {
                    let step = update.picture.seq
                    try Descriptor.error.write(line: "viewmodelctl: step \(step): the command ended with \(status)")
                }
                if !isFirst { left = left.map { $0 - 1 } }
                isFirst = false
                if let left, left <= 0 {
                    // The failure was reported already.
                    return status
                }
            }
            throw CommandFailure.notFound("The instance was closed")
        }
    }

    /// Runs the command for one line and returns its exit status.
    private func run(_ line: WatchLine) async throws -> Int32 {
        let bytes = try JSONWriter.text(of: line) + [UInt8(ascii: "\n")]
        return try await ShellCommand.run(command, input: bytes, environment: environment(of: line))
    }

    private func environment(of line: WatchLine) -> [String: String?] {
        var environment: [String: String?] = [:]
        let changed = line.values.objectValue ?? [:]
        environment["VIEWMODELD_SOCKET"] = socket
        environment["VIEWMODEL_SESSION"] = session
        environment["VIEWMODEL_INSTANCE"] = line.id
        environment["VIEWMODEL_SEQ"] = "\(line.seq)"
        environment["VIEWMODEL_FULL"] = "\(line.full)"
        environment["VIEWMODEL_LOST"] = "\(line.lost)"
        environment["VIEWMODEL_CHANGED"] = changed.keys.joined(separator: " ")
        environment["VIEWMODEL_EVENTS"] = line.events.map(\.output).joined(separator: " ")
        return environment
    }
}

/// The updates that no command has handled, merged to one.
///
/// It keeps the newest 1024 events and counts the others as lost, as the daemon does. The buffer of the client is no
/// substitute: in a script the client has other bindings, such as those of `wait`, whose updates must stay separate.
private actor UpdateMailbox {
    private static let maximumEvents = 1024

    private var update: BindingUpdate?
    private var result: Result<Void, any Error>?
    private let wakes = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))

    func put(_ next: BindingUpdate) {
        var merged = next
        if let update {
            merged.change = update.change.followed(by: next.change)
            merged.isFull = update.isFull || next.isFull
            let excess = merged.change.events.count - Self.maximumEvents
            if excess > 0 {
                merged.change.events.removeFirst(excess)
                merged.change.lost += excess
            }
        }
        update = merged
        wakes.continuation.yield()
    }

    func end(_ error: (any Error)?) {
        result = error.map { .failure($0) } ?? .success(())
        wakes.continuation.yield()
    }

    /// Waits for updates and returns their sum; nil at their end.
    func next() async throws -> BindingUpdate? {
        while true {
            if let update = update.take() { return update }
            if let result {
                try result.get()
                return nil
            }
            var iterator = wakes.stream.makeAsyncIterator()
            guard await iterator.next(isolation: self) != nil else { throw CancellationError() }
        }
    }
}
