import ArgumentParser
import Foundation
import Glibc

/// The subcommand that measures what is saved, with SQLite and with PostgreSQL.
struct StoresCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stores",
        abstract: "Measures what is saved: PostgreSQL beside SQLite (Debian: postgresql-15; as root).",
        discussion: """
            The benchmark starts a PostgreSQL server of its own, with its default durability. Each round runs the same \
            load with SQLite, which is the floor, and then with PostgreSQL. Compare ratios, not times.
            """
    )

    @Option(help: "How often everything is measured.")
    var rounds = 5

    @Option(help: "The length of one measurement in seconds.")
    var seconds = 3.0

    @Option(help: "How many users change something at once, over three nodes.")
    var users = 1000

    @Option(help: "How many users one daemon has when its memory is measured.")
    var present = 10_000

    @Option(help: "The daemon's program (default: the one beside this program).")
    var daemon: String?

    @Option(help: "Writes all values to this file, as JSON.")
    var json: String?

    func validate() throws {
        guard rounds > 0, seconds > 0, users > 0, present > 0 else {
            throw ValidationError("--rounds, --seconds, --users and --present are greater than 0")
        }
        // The server runs as the user of Debian's package, and connections are opened as other users.
        guard geteuid() == 0 else { throw ValidationError("This measurement needs root") }
    }

    func run() throws {
        raiseDescriptorLimit()
        var measurements = StoreMeasurements(
            program: try DaemonProgram.path(daemon),
            rounds: rounds,
            seconds: seconds,
            users: users,
            present: present
        )
        try measurements.run(DaemonProgram.showProgress)
        let report = Report(machine: Report.thisMachine, rounds: rounds, figures: measurements.figures)
        print(report.table)
        if let json { try report.json.write(toFile: json, atomically: true, encoding: .utf8) }
    }
}
