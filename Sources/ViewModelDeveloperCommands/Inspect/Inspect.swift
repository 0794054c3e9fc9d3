import ArgumentParser
import Foundation
import UnixIO
import ViewModelClient
import ViewModelCommands

struct Inspect: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Opens the inspector in the browser.",
        discussion: """
            The address is printed, and opened where there is a display. Its token works once, within 60 seconds. The \
            gateway that serves the page is the running one, or a new one, which ends after 90 seconds without a client.
            """
    )

    @OptionGroup(title: "Options of every verb") var options: GlobalOptions

    @Flag(help: "Let the page send inputs and run actions.")
    var control = false

    @Flag(help: "Print the address only.")
    var print = false

    func run() async throws {
        let directory = SocketPath.runtimeDirectory(
            of: GatewayControl.program,
            environment: ProcessText.variables,
            uid: UInt32(geteuid())
        )
        let daemon = options.socketPath
        let page = try await TimeLimit.run(options.timeout, "the gateway did not start") {
            let page = try await GatewayControl(directory: directory).page(isControlling: control, daemon: daemon)
            guard page.daemon != daemon else { return page }
            // The running gateway serves another daemon. Each further daemon has a gateway of its own.
            let own = GatewayControl(directory: "\(directory)/\(Self.name(of: daemon))")
            return try await own.page(isControlling: control, daemon: daemon)
        }
        do {
            Glibc.close(try LocalSocket.connect(to: daemon))
        } catch {
            let warning = "no daemon answers at \(daemon): \(error). The page waits for it"
            try Descriptor.error.write(line: "viewmodelctl: warning: \(warning)")
        }
        let printer = Printer(try options.format() ?? (print ? .text : .auto))
        try printer.print(.object(["url": .string(page.address)]), as: page.address)
        if !print { try show(page.address, in: directory) }
    }

    /// A name for the directory of the gateway of a daemon: the FNV-1a hash of the socket's path.
    private static func name(of socket: String) -> String {
        let hash = socket.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return String(hash, radix: 16)
    }

    /// Opens an address in the person's browser, if there is a display.
    ///
    /// Other users can read the arguments of a process. The browser therefore opens a private file, which leads to the
    /// address.
    private func show(_ address: String, in directory: String) throws {
        let displays = ["DISPLAY", "WAYLAND_DISPLAY"].filter { !(ProcessText.variables[$0] ?? "").isEmpty }
        guard !displays.isEmpty, let opener = ProgramPath.find("xdg-open") else { return }
        let file = directory + "/open.html"
        unlink(file.cPath)
        let page = #"<!doctype html><meta http-equiv="refresh" content="0; url=\#(address)">"#
        let descriptor = open(file.cPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        defer { close(descriptor) }
        guard descriptor >= 0, (try? Descriptor(number: descriptor).write(Array(page.utf8))) != nil else {
            throw CommandFailure(.failed, "\(file) cannot be written", remedy: "Use --print")
        }
        _ = try ChildProcess(opener, [file], descriptors: [nil, nil, nil])
    }
}
