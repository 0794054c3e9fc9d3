import Foundation

/// The cost of what is saved in PostgreSQL, beside the same in SQLite.
struct StoreMeasurements {
    let program: String
    let rounds: Int
    /// The length of one measurement in seconds.
    let seconds: Double
    let users: Int

    private var signIn = Figure("a sign-in with a local account", unit: "ms", .none)
    private var addition = Figure("sendList.add, one client", unit: "ms", .none)
    private var move = Figure("one session saved and another one attached", unit: "ms", .none)
    private var saves = Self.sessions.map { count in
        Figure("saved actions of \(count) \(count == 1 ? "session" : "sessions")", unit: "/s", .none)
    }
    private var crowd: Figure

    /// The numbers of sessions that save at the same time.
    private static let sessions = [1, 16, 200]

    init(program: String, rounds: Int, seconds: Double, users: Int) {
        self.program = program
        self.rounds = rounds
        self.seconds = seconds
        self.users = users
        crowd = Figure("changes of \(users) users on three nodes, SQLite on one", unit: "/s", .none)
    }

    var figures: [Figure] { [signIn, addition, move] + saves + [crowd] }

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
            move.add(shared.move, floor: embedded.move)
            for index in saves.indices { saves[index].add(shared.saves[index], floor: embedded.saves[index]) }
            crowd.add(shared.changes, floor: embedded.changes)
        }
    }

    /// The values of one store: three medians in milliseconds, and rates per second.
    private struct Values {
        let signIn: Double
        let addition: Double
        let move: Double
        let saves: [Double]
        let changes: Double
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
            move: try SavedActions.changeSession(client, seconds: seconds),
            saves: try Self.sessions.map {
                try SavingLoad(clients: $0, step: .scene).measure([nodes[0]], seconds: seconds)
            },
            changes: try SavingLoad(clients: users, step: .addition).measure(nodes, seconds: seconds)
        )
    }
}
