import ViewModelClient
import ViewModelCommands

/// A monitor of a session: it attaches, binds all instances, and logs what the daemon sends.
struct SessionMonitor: Sendable {
    /// The time between two looks at the list of instances, which no notification announces.
    private static let interval = Duration.milliseconds(50)
    /// The types that change without anybody's doing.
    private static let quiet: Set = ["daemon", "metrics"]

    let options: GlobalOptions
    let log: MonitorLog
    let showsAll: Bool

    /// Runs until the session ends or the task is cancelled.
    func run() async throws {
        let trace = { @Sendable [log] (direction: ClientOptions.Direction, line: [UInt8]) in
            let isFromClient = direction == .sent
            log.append(line, isFromClient: isFromClient, isShown: !isFromClient && Self.isShown(line))
        }
        try await CommandContext.open(options, as: "viewmodelctl monitor", trace: trace) { try await follow($0.client) }
    }

    private func follow(_ client: ViewModelClient) async throws {
        // A task returns the instance whose binding has ended, or nil for the next look at the list.
        try await withThrowingTaskGroup(of: String?.self) { group in
            defer { group.cancelAll() }
            var bound: Set<String> = []
            while true {
                for instance in try await client.call(ViewModelList.self).instances
                where bound.insert(instance.id).inserted {
                    log.append(event: "open \(instance.id) (\(instance.type))")
                    guard showsAll || !Self.quiet.contains(instance.type) else { continue }
                    group.addTask {
                        do {
                            for try await _ in client.bind(instance.id) {}
                        } catch let error as ClientError where error.reply?.code == .notFound {
                            // The instance was closed after the list was made.
                        }
                        return instance.id
                    }
                }
                group.addTask {
                    try await Task.sleep(for: Self.interval)
                    return nil
                }
                while let next = try await group.next(), let closed = next { bound.remove(closed) }
            }
        }
    }

    /// Returns whether a line of the daemon is shown: a notification, or the reply to a bind, which has the picture.
    private static func isShown(_ line: [UInt8]) -> Bool {
        guard let message = JSONValue(text: line) else { return true }
        return message["method"] != nil || message["result"]?["full"] != nil
    }
}
