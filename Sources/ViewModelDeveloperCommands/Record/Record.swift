import ArgumentParser
import Foundation
import PathArguments
import Synchronization
import UnixIO
import ViewModelClient
import ViewModelCommands
import ViewModelTranscript

struct Record: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record",
        abstract: "Writes what crosses a socket as a transcript.",
        discussion: """
            It listens on a socket of its own and prints the path. Clients that connect to this socket talk to the \
            daemon, and their messages are recorded. With --session it records a connection from its attach to that session on. \
            SIGINT ends it. The values that a session had before are not recorded, so a warning names such a session. \
            Passwords are replaced by pseudonyms; other values are not.
            """
    )

    @OptionGroup(title: "Options of every verb") var options: GlobalOptions

    @Option(help: ArgumentHelp("The socket for clients. The default is in a new directory.", valueName: "path"))
    var listen: PathArgument?

    @Argument(help: "The file to write, which must not exist, or a device or a FIFO.")
    var file: PathArgument

    func run() async throws {
        var options = self.options
        let session = options.session?.text
        // The session is that of the recorded clients. This command attaches to none.
        options.session = nil
        try await CommandContext.open(options) { context in
            let document = try await context.client.request(RPCDiscover.name)
            let info = JSONValue(text: document)?["info"]
            let failures = AsyncStream.makeStream(of: String.self)
            let program = "\(info?["title"]?.stringValue ?? "") \(info?["version"]?.stringValue ?? "")"
            // A FIFO may have no reader yet.
            let recorder = try await BlockingThread.run { [file] () throws(CommandFailure) in
                do throws(TranscriptFileError) {
                    return try TranscriptRecorder(file: file.path, program: program) { failures.continuation.yield($0) }
                } catch {
                    throw .usage("\(error)")
                }
            }
            let directory = try listen == nil ? SocketDirectory("viewmodelctl", socket: "d.sock") : nil
            defer { directory?.remove() }
            let path = listen?.path ?? directory?.socket ?? ""
            let sessions = Mutex<Set<String>>([])
            let attached = { @Sendable (session: String, isNew: Bool) in
                // The first recorded attach of a session says whether it is new.
                guard sessions.withLock({ $0.insert(session).inserted }), !isNew else { return }
                let warning = "the session \(session) is older than the recording, which lacks its earlier values"
                try? Descriptor.error.write(line: "viewmodelctl: warning: \(warning)")
            }
            let relay = Relay(daemon: options.socketPath, session: session) {
                recordObserver(recorder.open(), attached: attached)
            }
            let server = try await relay.listen(at: path)
            recorder.start { document }
            try context.printer.print(text: "\(SocketPath.variable)=\(path)\n")
            let failure = await withTaskGroup(of: String?.self) { group in
                group.addTask {
                    try? await relay.serve(server)
                    return nil
                }
                group.addTask {
                    for await failure in failures.stream { return failure }
                    return nil
                }
                let first = await group.next() ?? nil
                group.cancelAll()
                return first
            }
            await recorder.finish()
            if listen != nil { unlink(path.cPath) }
            if let failure {
                throw CommandFailure(.failed, "the recording in \(file) has ended early: \(failure)")
            }
        }
    }
}
