import ArgumentParser
import Foundation
import PathArguments
import UnixIO
import ViewModelClient
import ViewModelCommands
import ViewModelContract
import ViewModelTranscript

struct Monitor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "monitor",
        abstract: "Shows what crosses the socket of a session, one line a message.",
        discussion: """
            With --session it attaches to the session and binds all of its instances. It shows their pictures, each \
            frame and event, and which instances are opened and closed. The clients go on as before. It cannot see \
            their requests and the replies to them, because the daemon sends these to no other client. It looks for new \
            instances 20 times a second, so it misses what an instance does in its first moments.

            With --listen it listens on a socket of its own. Clients that connect to this socket talk to the daemon, and \
            it shows all their messages in both directions, with the number of the connection. With both options it shows \
            a connection from its attach to the session on.

            A line has the local time, > for a message to the daemon or < for one from it, and the message. Passwords are \
            replaced by pseudonyms, as in a recording; other values are not. A terminal shows as much of a message as fits. \
            If more than 16 MiB wait for the output, the oldest lines are dropped, and a line has their number. SIGINT \
            ends it.
            """
    )

    @OptionGroup(title: "Options of every verb") var options: GlobalOptions

    @Option(help: ArgumentHelp("Relay to the daemon from a socket of this path.", valueName: "path"))
    var listen: PathArgument?

    @Flag(help: "Include the ViewModels daemon and metrics, which change all the time.")
    var all = false

    func run() async throws {
        guard listen != nil || options.session != nil else {
            throw CommandFailure.usage("There is no session to monitor", remedy: "Name it with --session")
        }
        try await TimeLimit.run(options.timeout, "monitor did not end") { [options, listen, all] in
            var plain = options
            (plain.session, plain.linger, plain.existing) = (nil, nil, false)
            let log = MonitorLog(contract: try await CommandContext.open(plain) { try await $0.contract() })
            let printer = Printer(try options.format() ?? .auto)
            try await OutputHangup.end {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { try await log.write(to: printer) }
                    group.addTask {
                        if let listen {
                            try await Self.relay(options, at: listen.path, log)
                        } else {
                            try await SessionMonitor(options: options, log: log, showsAll: all).run()
                        }
                    }
                    defer { group.cancelAll() }
                    try await group.next()
                    // A stream that is cancelled ends without an error.
                    try Task.checkCancellation()
                }
            }
        }
    }

    private static func relay(_ options: GlobalOptions, at path: String, _ log: MonitorLog) async throws {
        let relay = Relay(daemon: options.socketPath, session: options.session?.text) { log.open() }
        let server = try await relay.listen(at: path)
        defer { unlink(path.cPath) }
        try Descriptor.error.write(line: "viewmodelctl: \(SocketPath.variable)=\(path)")
        try await relay.serve(server)
    }
}
