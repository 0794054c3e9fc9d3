import Foundation

/// The cost of what is saved in PostgreSQL, beside the same in SQLite.
struct StoreMeasurements {
    let program: String
    let rounds: Int
    /// The length of one measurement in seconds.
    let seconds: Double
    let users: Int
    /// The number of users for the memory of a daemon.
    let present: Int

    private var signIn = Figure("a sign-in with a local account", unit: "ms", .none)
    private var addition = Figure("sendList.add, one client", unit: "ms", .none)
    private var attaches = ["that lives", "that is saved", "of another node; SQLite: that is saved"].map { session in
        Figure("an attach to a session \(session)", unit: "µs", .none)
    }
    private var saves = Self.sessions.map { count in
        Figure("saved actions of \(count) \(count == 1 ? "session" : "sessions")", unit: "/s", .none)
    }
    private var crowd: Figure
    private var memory: Figure
    private var threads: Figure

    /// The numbers of sessions that save at the same time.
    private static let sessions = [1, 16, 200]

    init(program: String, rounds: Int, seconds: Double, users: Int, present: Int) {
        self.program = program
        self.rounds = rounds
        self.seconds = seconds
        self.users = users
        self.present = present
        crowd = Figure("changes of \(users) users on three nodes, SQLite on one", unit: "/s", .none)
        memory = Figure("memory of one of \(present) users", unit: "KiB", .none)
        threads = Figure("threads of a daemon with \(present) users", unit: "threads", .none)
    }

    var figures: [Figure] { [signIn, addition] + attaches + saves + [crowd, memory, threads] }

    /// Runs all measurements and reports each round to `progress`.
    mutating func run(_ progress: (String) -> Void) throws {
        let server = try PostgresProcess()
        defer { server.remove() }
        for round in 1...rounds {
            progress("round \(round) of \(rounds)")
            let embedded = try withServer(.saving(program)) { server in try measure([server]) }
            let shared = try measure(with: try server.createDatabase())
            signIn.add(shared.signIn, floor: embedded.signIn)
            addition.add(shared.addition, floor: embedded.addition)
            for index in attaches.indices {
                let (own, floor) = (shared.attaches[index], embedded.attaches[index])
                attaches[index].add(
                    own.microseconds(quantile: 0.5),
                    floor: floor.microseconds(quantile: 0.5),
                    p99: own.microseconds(quantile: 0.99)
                )
            }
            for index in saves.indices { saves[index].add(shared.saves[index], floor: embedded.saves[index]) }
            crowd.add(shared.changes, floor: embedded.changes)
            memory.add(shared.present.memory, floor: embedded.present.memory)
            threads.add(shared.present.threads, floor: embedded.present.threads)
        }
    }

    /// The values of one store: medians in milliseconds, rates per second, and a daemon with many users.
    private struct Values {
        let signIn: Double
        let addition: Double
        let attaches: [Sample]
        let saves: [Double]
        let changes: Double
        let present: (memory: Double, threads: Double)
    }

    private func measure(with database: SharedDatabase) throws -> Values {
        func withNode(_ name: String, _ body: (ServerProcess) throws -> Values) throws -> Values {
            try withServer(.saving(program, in: database, node: name), body)
        }
        return try withNode("anna") { anna in
            try withNode("bert") { bert in
                try withNode("cleo") { cleo in try measure([anna, bert, cleo]) }
            }
        }
    }

    private func measure(_ nodes: [ServerProcess]) throws -> Values {
        let client = try nodes[0].connect()
        return Values(
            signIn: try SavedActions.signIn(client, seconds: seconds),
            addition: try SavedActions.add(client, seconds: seconds),
            attaches: try attaches(nodes),
            saves: try Self.sessions.map {
                try SavingLoad(clients: $0, step: .scene).measure([nodes[0]], seconds: seconds)
            },
            changes: try SavingLoad(clients: users, step: .addition).measure(nodes, seconds: seconds),
            present: try PresentUsers.measure(present, on: nodes[nodes.count - 1])
        )
    }

    private func attaches(_ nodes: [ServerProcess]) throws -> [Sample] {
        let saved = try Attaches.toSaved(nodes[0], seconds: seconds)
        let moving = nodes.count > 1 ? try Attaches.toMoving(nodes, seconds: seconds) : saved
        return [try Attaches.toLiving(nodes[0], seconds: seconds), saved, moving]
    }
}
