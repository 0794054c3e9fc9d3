/// What is said to a server: the floor and the daemon differ in nothing else.
struct Dialect: Sendable {
    let name: String
    let program: String
    /// Its command line, for a socket and a folder.
    var arguments: @Sendable (_ socket: String, _ folder: String) -> [String]
    /// The cheapest thing that is asked: a number is put somewhere.
    let request: LineTemplate
    /// What a subscriber says first.
    let subscribe: [LineTemplate]
    /// What somebody says first who changes what subscribers see.
    let publish: [LineTemplate]
    /// Makes a change that all subscribers see.
    let change: LineTemplate
    /// What somebody says first who then stays idle.
    let rest: [LineTemplate]
    /// The text of its configuration file, if it gets one.
    var configuration: String?
    /// Whether it keeps what it is told, and counts its steps.
    let keepsValues: Bool

    /// Asks the daemon for what was put somewhere.
    static let read: LineTemplate =
        #"{"jsonrpc":"2.0","id":{id},"method":"viewModel.read","params":{"id":"lab","outputs":["value"]}}"#

    /// The lower bound: a server that reads a line and writes one.
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

    /// The daemon, with the ViewModel `lab`; callgrind counts its instructions into a file.
    static func counted(_ program: String, into file: String) -> Dialect {
        var dialect = daemon("/usr/bin/valgrind")
        let own = dialect.arguments
        dialect.arguments = { socket, folder in
            ["-q", "--tool=callgrind", "--callgrind-out-file=\(file)", program] + own(socket, folder)
        }
        return dialect
    }

    /// The same with another user admitted.
    func admitting(_ user: String) -> Dialect {
        var dialect = self
        dialect.configuration = #"{"socket": {"mode": "0666"}, "access": [{"user": "\#(user)", "scope": "act"}]}"#
        return dialect
    }

    /// The daemon, with the ViewModel `lab`.
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
