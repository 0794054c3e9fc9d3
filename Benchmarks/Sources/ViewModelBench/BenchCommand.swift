package import ArgumentParser
import BenchFloor
import Foundation

/// The command that measures the daemon's cost beside a server that only reads lines and writes lines.
package struct BenchCommand: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "viewmodeld-bench",
        abstract: "Measures the daemon against the least that any server on a Unix socket has to do.",
        discussion: """
            The floor is a server in C that reads lines and writes lines. Each round asks both the same, one after the \
            other, on this machine; compare ratios, not times. See docs/performance.md.
            """,
        subcommands: [Measure.self, StoresCommand.self, BuildsCommand.self, CountCommand.self, FloorCommand.self],
        defaultSubcommand: Measure.self
    )

    package init() {}
}

/// The subcommand that measures and reports all figures.
struct Measure: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Measures everything (the default).")

    @Option(help: "How often everything is measured.")
    var rounds = 5

    @Option(help: "The length of one measurement in seconds.")
    var seconds = 0.5

    @Option(help: "How many idle connections are opened; each takes a descriptor here and one in the daemon.")
    var connections = 10_000

    @Option(help: "The daemon's program (default: the one beside this program).")
    var daemon: String?

    @Option(help: "The program with 50,000 episodes (default: the one beside the daemon's default).")
    var episodes: String?

    @Option(help: "The gateway's program (default: the one beside the daemon's default).")
    var gateway: String?

    @Option(name: .customLong("ctl"), help: "The program viewmodelctl (default: the one beside the daemon's default).")
    var commandLine: String?

    @Option(help: "Writes all values to this file, as JSON.")
    var json: String?

    @Flag(help: "Measures the gateway only.")
    var gatewayOnly = false

    @Flag(help: "Fails when a target is missed by more than the noise that was measured.")
    var check = false

    func validate() throws {
        guard rounds > 0, seconds > 0, connections > 0 else {
            throw ValidationError("--rounds, --seconds and --connections are greater than 0")
        }
    }

    func run() throws {
        let daemon = try DaemonProgram.path(daemon)
        raiseDescriptorLimit()
        var measurements = Measurements(
            daemon: .daemon(daemon),
            floor: .floor(DaemonProgram.this),
            episodes: EpisodeSearch.dialect(try DaemonProgram.path(episodes, of: "viewmodeld-episodes")),
            gateway: try DaemonProgram.path(gateway, of: "viewmodel-gateway"),
            commandLine: try DaemonProgram.path(commandLine, of: "viewmodelctl"),
            rounds: rounds,
            seconds: seconds,
            connections: connections
        )
        if gatewayOnly {
            try measurements.runGateway(DaemonProgram.showProgress)
        } else {
            try measurements.run(DaemonProgram.showProgress)
        }
        let report = Report(
            machine: Report.thisMachine,
            rounds: rounds,
            figures: measurements.figures + [try Measurements.binarySize(of: daemon)]
        )
        print(report.table)
        if let json { try report.json.write(toFile: json, atomically: true, encoding: .utf8) }
        let missed = report.figures.filter { !$0.holds }
        if check, !missed.isEmpty {
            throw BenchFailure("missed: " + missed.map(\.name).joined(separator: "; "))
        }
    }
}

/// Allows this process as many descriptors as the system does.
func raiseDescriptorLimit() {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
}

/// The subcommand that runs the floor in its own process.
struct FloorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "floor",
        abstract: "Runs the floor.",
        shouldDisplay: false
    )

    @Argument(help: "Where it listens.")
    var socket: String

    func run() throws {
        let error = bench_floor_run(socket)
        throw ValidationError("\(socket): \(String(cString: strerror(error)))")
    }
}
