import Glibc

/// All measurements, in rounds.
///
/// A round measures the floor and the daemon one after the other for each load.
struct Measurements {
    let daemon: Dialect
    let floor: Dialect
    /// The daemon with 50,000 episodes.
    let episodes: Dialect
    private var gateway: GatewayMeasurements
    /// The path of viewmodelctl.
    let commandLine: String
    let rounds: Int
    /// The length of one measurement in seconds.
    let seconds: Double
    /// The number of idle connections.
    let connections: Int

    private var single = Figure("1 connection, 1 outstanding: CPU a request", unit: "µs", .atMost(1.6))
    private var pipelined = Figure("1 connection, 64 outstanding: CPU a request", unit: "µs", .atMost(6))
    private var crowd = Figure("64 connections, 1 outstanding: CPU a request", unit: "µs", .atMost(2))
    private var fanOut = Figure("a change to 100 clients: CPU a notification", unit: "µs", .atMost(1.5))
    private var fanOutTime = Figure("a change to 100 clients: until all have seen it", unit: "µs", .atMost(1.2))
    private var stalledRate = Figure(
        "4 clients that never read: changes a second, of those without them",
        unit: "×",
        .atLeast(0.95)
    )
    private var stalledMemory = Figure(
        "4 clients that never read: growth in 100,000 changes",
        unit: "KiB",
        .atMost(1024)
    )
    private var window = Figure("a change in a window of 20: CPU, 1,000,000 rows of 1,000", unit: "×", .atMost(1.2))
    private var windowBytes = Figure(
        "a change in a window of 20: bytes, 1,000,000 rows of 1,000",
        unit: "×",
        .atMost(1.2)
    )
    private var windowMove = Figure(
        "a row moved in a window of 20: CPU, 1,000,000 rows of 1,000",
        unit: "×",
        .atMost(1.2)
    )
    private var append = Figure("a row appended to 10,000: CPU, of a request's", unit: "×", .atMost(50))
    private var appendBytes = Figure("a row appended to 10,000: bytes", unit: "B", .atMost(300))
    private var search = Figure(
        "a search step over 50,000 rows, a window of 20: CPU beside the author's filter",
        unit: "ms",
        .atMost(15)
    )
    private var searchBytes = Figure("a search step over 50,000 rows, a window of 20: bytes", unit: "B", .none)
    private var flooded = Figure(
        "a client beside another that floods: p99 of its requests, the worst method",
        unit: "ms",
        .atMost(50)
    )
    private var floodedByOther = Figure("the same, for a client of another user", unit: "ms", .atMost(50))
    private var start = Figure("from start to the first reply", unit: "ms", .atMost(25))
    private var attach = Figure("from start to the first reply to session.attach", unit: "ms", .atMost(20))
    private var call = Figure("viewmodelctl call: CPU", unit: "ms", .atMost(12))
    private var busctl = Figure("busctl call, to a bus: CPU", unit: "ms", .none)
    private var anonymous = Figure("anonymous memory when the start is over", unit: "MB", .atMost(6))
    private var resident = Figure("resident memory when the start is over", unit: "MB", .none)
    private var idleMemory: Figure
    private var idleWakeUps: Figure
    private var idleTime: Figure

    init(
        daemon: Dialect,
        floor: Dialect,
        episodes: Dialect,
        gateway: String,
        commandLine: String,
        rounds: Int,
        seconds: Double,
        connections: Int
    ) {
        self.daemon = daemon
        self.floor = floor
        self.episodes = episodes
        self.gateway = GatewayMeasurements(program: gateway, seconds: seconds)
        self.commandLine = commandLine
        self.rounds = rounds
        self.seconds = seconds
        self.connections = connections
        idleMemory = Figure("\(connections) idle connections: private memory each", unit: "KiB", .atMost(12))
        idleWakeUps = Figure("\(connections) idle connections: wake-ups in 5 s", unit: "", .atMost(0))
        idleTime = Figure("\(connections) idle connections: CPU in 5 s", unit: "µs", .atMost(0))
    }

    var figures: [Figure] {
        [
            single, pipelined, crowd, fanOut, fanOutTime, idleMemory, idleWakeUps, idleTime, stalledMemory, stalledRate,
            window, windowBytes, windowMove, append, appendBytes, search, searchBytes, flooded, floodedByOther, start,
            attach, call, busctl,
            anonymous, resident,
        ].filter { !$0.values.isEmpty } + gateway.figures
    }

    /// Runs all measurements and reports each one to `progress`.
    mutating func run(_ progress: (String) -> Void) throws {
        for round in 1...rounds {
            progress("round \(round) of \(rounds)")
            start.add(try startTime(daemon.request))
            attach.add(try startTime(daemon.publish[0]))
            if let time = try CommandRuns.busctl() { busctl.add(time) }
            try withServer(floor) { floor in
                try withServer(daemon) { daemon in
                    anonymous.add(Double(daemon.anonymousBytes) / 1e6)
                    resident.add(Double(daemon.residentBytes) / 1e6)
                    call.add(try CommandRuns.call(commandLine, daemon))
                    try measureRequests(floor, daemon)
                    try measureFanOut(floor, daemon)
                    try measureLists(daemon)
                    try gateway.measureRequests(daemon)
                }
            }
            try withServer(episodes) { try measureSearch($0) }
        }
        progress("floods")
        for _ in 1...rounds {
            try withServer(daemon.admitting(Floods.stranger.name)) { daemon in try measureFloods(daemon, progress) }
        }
        progress("clients that never read")
        try withServer(daemon) { daemon in try measureStalled(daemon) }
        progress("\(connections) idle connections")
        try withServer(daemon) { daemon in try measureIdle(daemon) }
        try measureIdleBrowsers(progress)
    }

    /// Returns the milliseconds from the daemon's start to its reply to the first request: the median of five starts.
    private func startTime(_ request: LineTemplate) throws -> Double {
        Figure.median(
            try (1...5).map { _ in Double(try ViewModelBench.startTime(of: daemon, first: request)) / 1e6 }
        )
    }

    /// Runs the measurements of the gateway only.
    mutating func runGateway(_ progress: (String) -> Void) throws {
        for round in 1...rounds {
            progress("round \(round) of \(rounds)")
            try withServer(daemon) { daemon in try gateway.measureRequests(daemon) }
        }
        try measureIdleBrowsers(progress)
    }

    private mutating func measureIdleBrowsers(_ progress: (String) -> Void) throws {
        progress("1000 idle browsers")
        try withServer(daemon) { daemon in try gateway.measureIdle(daemon) }
    }

    private mutating func measureRequests(_ floor: ServerProcess, _ daemon: ServerProcess) throws {
        func compare(_ load: RoundTrips, _ figure: inout Figure) throws {
            let bound = try load.measure(floor, seconds: seconds)
            figure.add(try load.measure(daemon, seconds: seconds), floor: bound)
        }
        try compare(RoundTrips(connections: 1, outstanding: 1), &single)
        try compare(RoundTrips(connections: 1, outstanding: 64), &pipelined)
        try compare(RoundTrips(connections: 64, outstanding: 1), &crowd)
    }

    private mutating func measureFanOut(_ floor: ServerProcess, _ daemon: ServerProcess) throws {
        let load = FanOut(subscribers: 100)
        let bound = try load.measure(floor, .seconds(seconds))
        let sample = try load.measure(daemon, .seconds(seconds))
        fanOut.add(sample.processorMicroseconds, floor: bound.processorMicroseconds)
        fanOutTime.add(
            sample.microseconds(quantile: 0.5),
            floor: bound.microseconds(quantile: 0.5),
            p99: sample.microseconds(quantile: 0.99)
        )
        let alone = try FanOut(subscribers: 10).measure(daemon, .seconds(seconds))
        let beside = try FanOut(subscribers: 10, stalled: 4).measure(daemon, .seconds(seconds))
        stalledRate.add(beside.operationsPerSecond / alone.operationsPerSecond)
    }

    private mutating func measureLists(_ daemon: ServerProcess) throws {
        func compare(_ change: LineTemplate, _ figure: inout Figure) throws -> (short: Sample, long: Sample) {
            let short = try Lists(rows: 1000, window: 20, change: change).measure(daemon, changes: 2000)
            let long = try Lists(rows: 1_000_000, window: 20, change: change).measure(daemon, changes: 2000)
            figure.add(long.processorMicroseconds / short.processorMicroseconds)
            return (short, long)
        }
        let update = try compare(Lists.update, &window)
        windowBytes.add(Double(update.long.notificationBytes) / Double(update.short.notificationBytes))
        _ = try compare(Lists.move, &windowMove)
        let added = try Lists(rows: 10_000, change: #"{"jsonrpc":"2.0","id":{id},"method":"lab.append","params":[1]}"#)
            .measure(daemon, changes: 500)
        append.add(added.processorMicroseconds / (single.values.last ?? .nan))
        appendBytes.add(Double(added.notificationBytes) / Double(added.operations))
    }

    private mutating func measureSearch(_ server: ServerProcess) throws {
        let (step, filter) = try EpisodeSearch().measure(server, steps: 50)
        search.add((step.processorMicroseconds - filter.processorMicroseconds) / 1000)
        searchBytes.add(Double(step.notificationBytes) / Double(step.operations))
    }

    private mutating func measureFloods(_ daemon: ServerProcess, _ progress: (String) -> Void) throws {
        let floods = Floods(seconds: seconds)
        flooded.add(try floods.measure(daemon, user: nil, progress))
        if geteuid() == 0 { floodedByOther.add(try floods.measure(daemon, user: Floods.stranger.uid, progress)) }
    }

    private mutating func measureStalled(_ daemon: ServerProcess) throws {
        // This run allocates the memory for the healthy clients before the first sample.
        _ = try FanOut(subscribers: 10).measure(daemon, .changes(1000))
        let before = daemon.privateBytes
        _ = try FanOut(subscribers: 10, stalled: 4).measure(daemon, .changes(100_000))
        stalledMemory.add(Double(daemon.privateBytes - before) / 1024)
    }

    private mutating func measureIdle(_ daemon: ServerProcess) throws {
        let cost = try IdleConnections(count: connections).measure(daemon, seconds: 5)
        idleMemory.add(cost.privateBytes / 1024)
        idleWakeUps.add(Double(cost.wakeUps))
        idleTime.add(cost.processorMicroseconds)
    }
}
