/// The cost of the gateway, beside that of the daemon alone.
struct GatewayMeasurements {
    let program: String
    /// The length of one measurement in seconds.
    let seconds: Double

    private var single = Self.requests("1 connection, 1 outstanding")
    private var pipelined = Self.requests("1 connection, 64 outstanding")
    private var crowd = Self.requests("64 connections, 1 outstanding")
    private var idleMemory = Figure(
        "1000 idle browsers: private memory each in the gateway",
        unit: "KiB",
        .atMost(16)
    )

    init(program: String, seconds: Double) {
        self.program = program
        self.seconds = seconds
    }

    private static func requests(_ load: String) -> Figure {
        Figure("through the gateway, \(load): CPU of both", unit: "µs", .atMost(2.2))
    }

    var figures: [Figure] { [single, pipelined, crowd, idleMemory].filter { !$0.values.isEmpty } }

    /// Measures the round trips of one round.
    ///
    /// The figure's floor is the daemon without the gateway.
    mutating func measureRequests(_ daemon: ServerProcess) throws {
        try withGateway(program, before: daemon) { gateway in
            func compare(_ load: RoundTrips, _ figure: inout Figure) throws {
                let alone = try load.measure(daemon, seconds: seconds)
                figure.add(try load.measure(daemon, through: gateway, seconds: seconds), floor: alone)
            }
            try compare(RoundTrips(connections: 1, outstanding: 1), &single)
            try compare(RoundTrips(connections: 1, outstanding: 64), &pipelined)
            try compare(RoundTrips(connections: 64, outstanding: 1), &crowd)
        }
    }

    /// Measures the memory of idle connections, each with a bound instance.
    mutating func measureIdle(_ daemon: ServerProcess) throws {
        try withGateway(program, before: daemon) { gateway in
            // The first connections load code that all connections share.
            var sockets = try (0..<100).map { _ in try daemon.connect(daemon.dialect.rest, through: gateway) }
            let before = gateway.privateBytes
            sockets += try (0..<1000).map { _ in try daemon.connect(daemon.dialect.rest, through: gateway) }
            idleMemory.add(Double(gateway.privateBytes - before) / 1000 / 1024)
            withExtendedLifetime(sockets) {}
        }
    }
}
