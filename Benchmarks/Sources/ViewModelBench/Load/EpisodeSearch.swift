/// A load of search steps over a list of 50,000 rows, which an author's daemon derives with a plain filter.
///
/// One client has bound a window of 20 rows. The daemon's own part of a step is the difference between the step and the
/// filter alone.
struct EpisodeSearch {
    /// The numbers that are searched one after the other, as one types them.
    ///
    /// Each finds other rows than the one before.
    private static let searches = [1, 12, 123, 4, 45, 456, 7, 78, 789]

    private static let bind: LineTemplate =
        #"{"jsonrpc":"2.0","id":{id},"method":"viewModel.bind","params":{"id":"library","outputs":["found"],"windows":{"found":{"offset":0,"limit":20}}}}"#
    private static let search: LineTemplate = #"{"jsonrpc":"2.0","id":{id},"method":"library.search","params":["{n}"]}"#
    private static let count: LineTemplate = #"{"jsonrpc":"2.0","id":{id},"method":"library.count","params":["{n}"]}"#

    /// Returns the dialect of the daemon with the episodes.
    static func dialect(_ program: String) -> Dialect {
        Dialect(
            name: "viewmodeld-episodes",
            program: program,
            arguments: { socket, folder in [socket, "\(folder)/state"] },
            request: search,
            subscribe: [bind],
            publish: [],
            change: search,
            rest: [],
            keepsValues: false
        )
    }

    /// Measures steps, each with its reply and its frame, and as many filters alone.
    func measure(_ server: ServerProcess, steps: Int) throws -> (step: Sample, filter: Sample) {
        let socket = try server.connect([Self.bind])
        func run(_ line: LineTemplate, notifications expected: Int) throws -> Sample {
            var sample = Sample()
            let (cpu, begin) = (server.processorTime, nanoseconds())
            for step in 0..<steps {
                let start = nanoseconds()
                let number = Self.searches[step % Self.searches.count]
                sample.notificationBytes += try socket.exchange(line, number: number, notifications: expected)
                sample.add(latency: nanoseconds() - start)
            }
            sample.processorTime = server.processorTime - cpu
            sample.duration = nanoseconds() - begin
            sample.operations = steps
            return sample
        }
        _ = try run(Self.search, notifications: 1)
        return (try run(Self.search, notifications: 1), try run(Self.count, notifications: 0))
    }
}
