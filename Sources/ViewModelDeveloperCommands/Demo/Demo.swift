import ArgumentParser
import Foundation
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
        let executable = try DemoDaemon.executable(daemon?.path)
        let output = DemoOutput(pause: Descriptor.output.isTerminal ? .milliseconds(600) : .zero)
        let folder = try SocketDirectory("viewmodeld-demo", socket: "viewmodeld.sock")
        defer { folder.remove() }
        try output.explain("A daemon of its own: \(executable)")
        let daemon = try DemoDaemon(executable, in: folder)
        do {
            try await daemon.waitUntilListening()
            let script = DemoScript(output: output, socket: folder.socket)
            try await TimeLimit.run(.seconds(60), "The end of the demo") { try await script.run() }
        } catch {
            await daemon.stop()
            throw daemon.explained(error)
        }
        try output.explain("SIGTERM: the daemon notifies its clients, saves and ends")
        let status = await daemon.stop()
        guard status == 0 else {
            throw CommandFailure(.failed, "The daemon ended with \(status) where 0 is expected")
        }
        try output.close()
    }
}
