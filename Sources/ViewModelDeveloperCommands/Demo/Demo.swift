import ArgumentParser
import PathArguments
import UnixIO
import ViewModelClient
import ViewModelCommands

struct Demo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Shows the daemon at work: two clients, one calculator, a connection that breaks.",
        discussion: """
            Starts its own daemon in a temporary folder and stops it at the end. A daemon that already runs is not \
            used. The demo shows each line on the sockets: --> is from a client, <-- from the daemon. The exit code \
            is 0 only if every frame is as expected.
            """
    )

    @OptionGroup(title: "Options of every verb") var options: GlobalOptions

    @Option(
        help: ArgumentHelp("The daemon to start.", discussion: "The default is beside viewmodelctl or in PATH.")
    )
    var daemon: PathArgument?

    func run() async throws {
        guard let executable = daemon?.path ?? ProgramPath.find("viewmodeld") else {
            throw CommandFailure(
                .noConnection,
                "viewmodeld is neither beside viewmodelctl nor in PATH",
                remedy: "--daemon names it"
            )
        }
        let folder = try SocketDirectory("viewmodeld-demo", socket: "viewmodeld.sock")
        defer { folder.remove() }
        try DemoScript.explain("A daemon of its own: \(executable)")
        let daemon = try Self.start(executable, in: folder)
        do {
            let unreachable = ClientError(code: .noConnection, message: "The daemon does not listen")
            let answers = try await TimeLimit.run(.seconds(10), elapsed: { _ in unreachable }) {
                try await daemon.process.answers(at: folder.socket)
            }
            guard answers else { throw unreachable }
            let script = DemoScript(socket: folder.socket)
            try await TimeLimit.run(.seconds(60), "The end of the demo") { try await script.run() }
        } catch {
            let status = await daemon.process.stop()
            let lost: [ClientError.Code] = [.noConnection, .connectionLost, .outcomeUnknown]
            guard let code = (error as? ClientError)?.code, lost.contains(code) else { throw error }
            let said = daemon.lines.suffix(5).joined(separator: "\n")
            throw CommandFailure(
                .noConnection,
                "The daemon did not work, it ended with status \(status)",
                remedy: said.isEmpty ? nil : "It said:\n\(said)"
            )
        }
        try DemoScript.explain("SIGTERM: the daemon notifies its clients, saves and ends")
        let status = await daemon.process.stop()
        guard status == 0 else {
            throw CommandFailure(.failed, "The daemon ended with \(status) where 0 is expected")
        }
        try DemoScript.explain("Everything worked. What to do next:")
        try Descriptor.output.write(
            line: """
                viewmodeld                                             start the daemon; --help tells how
                viewmodelctl --session desk watch calculator           watch a calculator, and in another terminal:
                viewmodelctl --session desk call calculator.press 7    press a key; types and describe show more
                """
        )
    }

    /// Starts a daemon that ignores the person's configuration, environment and state.
    private static func start(_ executable: String, in folder: SocketDirectory) throws -> LoggedProgram {
        let state = "\(folder.path)/state"
        var environment: [String: String?] = ["XDG_CONFIG_HOME": state]
        let service = ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "LISTEN_FDS", "LISTEN_PID", "STATE_DIRECTORY"]
        for name in ProcessText.variables.keys where name.hasPrefix("VIEWMODELD_") || service.contains(name) {
            environment.updateValue(nil, forKey: name)
        }
        return try LoggedProgram(
            executable,
            ["--socket", folder.socket, "--state-directory", state, "--log-level", "warning"],
            environment: environment,
            log: "\(folder.path)/log"
        )
    }
}
