/// The messages and the command line of a server.
///
/// The floor and the daemon differ only in their dialects.
struct Dialect: Sendable {
    let name: String
    let program: String
    /// The command-line arguments for a socket and a folder.
    var arguments: @Sendable (_ socket: String, _ folder: String) -> [String]
    /// The cheapest request: it sets a number.
    let request: LineTemplate
    /// The first messages of a subscriber.
    let subscribe: [LineTemplate]
    /// The first messages of a client that changes the values that subscribers see.
    let publish: [LineTemplate]
    /// The request that changes a value for all subscribers.
    let change: LineTemplate
    /// The first messages of a client that then stays idle.
    let rest: [LineTemplate]
    /// The text of the server's configuration file, or nil for none.
    var configuration: String?
    /// Whether the server stores values and counts steps.
    let keepsValues: Bool

    /// The daemon's request that reads the number set by ``request``.
    static let read: LineTemplate =
        #"{"jsonrpc":"2.0","id":{id},"method":"viewModel.read","params":{"id":"lab","outputs":["value"]}}"#

    /// Returns the dialect of the floor, a server that only reads lines and writes lines.
    static func floor(_ program: String) -> Dialect {
        Dialect(
            name: "floor",
            program: program,
            arguments: { socket, _ in ["floor", socket] },
            request: #"{"jsonrpc":"2.0","id":{id},"method":"lab.put","params":[{n}]}"#,
            subscribe: [#"{"jsonrpc":"2.0","id":{id},"method":"sub"}"#],
            publish: [],
            change: #"{"jsonrpc":"2.0","id":{id},"method":"set","params":{"n":{n}}}"#,
            rest: [#"{"jsonrpc":"2.0","id":{id},"method":"sub"}"#],
            keepsValues: false
        )
    }

    /// Returns the dialect of the daemon under callgrind, which writes its counts to a file.
    static func counted(_ program: String, into file: String) -> Dialect {
        var dialect = daemon("/usr/bin/valgrind")
        let own = dialect.arguments
        dialect.arguments = { socket, folder in
            ["-q", "--tool=callgrind", "--callgrind-out-file=\(file)", program] + own(socket, folder)
        }
        return dialect
    }

    /// Returns the same dialect with a configuration that admits another user.
    func admitting(_ user: String) -> Dialect {
        var dialect = self
        dialect.configuration = #"{"socket": {"mode": "0666"}, "access": [{"user": "\#(user)", "scope": "act"}]}"#
        return dialect
    }

    /// Returns the dialect of a daemon that admits all users of this process's group, with a store.
    ///
    /// - Parameters:
    ///   - program: The daemon's program.
    ///   - database: The database that several daemons share, or nil for SQLite.
    ///   - node: The name of the daemon among them.
    /// - Returns: The dialect.
    static func saving(_ program: String, in database: SharedDatabase? = nil, node: String = "alone") -> Dialect {
        var dialect = daemon(program)
        dialect.configuration = """
            socket: {mode: "0666"}
            access: [{group: root, scope: act}]
            node: {name: \(node)}
            """
        if let database {
            dialect.configuration? += """

                store: {url: "\(database.url)"}
                vault: {keyFile: "\(database.vaultKey)"}
                """
        }
        return dialect
    }

    /// Returns the dialect of the daemon with the ViewModel `lab`.
    static func daemon(_ program: String) -> Dialect {
        let attach: LineTemplate =
            #"{"jsonrpc":"2.0","id":{id},"method":"session.attach","params":{"session":"bench","linger":0}}"#
        let set: LineTemplate = #"{"jsonrpc":"2.0","id":{id},"method":"lab.set","params":[{n}]}"#
        return Dialect(
            name: "viewmodeld",
            program: program,
            arguments: { socket, folder in
                [
                    "--lab", "--log-level", "error", "--socket", socket, "--state-directory", "\(folder)/state",
                ]
            },
            request: set,
            subscribe: [
                attach,
                #"{"jsonrpc":"2.0","id":{id},"method":"viewModel.bind","params":{"id":"lab","outputs":["value","double"]}}"#,
            ],
            publish: [attach],
            change: set,
            rest: [#"{"jsonrpc":"2.0","id":{id},"method":"viewModel.bind","params":{"id":"calculator"}}"#],
            keepsValues: true
        )
    }
}
