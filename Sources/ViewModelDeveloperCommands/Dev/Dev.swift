import ArgumentParser
import Foundation
import PathArguments
import UnixIO
import ViewModelClient
import ViewModelCommands

struct Dev: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dev",
        abstract: "Builds and runs a daemon, and restarts it with its sessions when its sources change.",
        discussion: """
            Watches Package.swift and the folders of the targets, except those of tests. A daemon whose new sources do \
            not compile goes on; the first error is printed, and all sessions show it as a hint (the event hint of \
            prompter). Named sessions are restored after a restart, and clients that reconnect resume (viewmodelctl \
            watch --reconnect). Ctrl-C ends the daemon.

            The state is kept in .build/dev of the package, apart from that of an installed daemon. The socket is the \
            one that --socket or $\(SocketPath.variable) names, else the one of a daemon with the product's name.
            """
    )

    @OptionGroup(title: "Options of every verb") var options: GlobalOptions

    @Argument(help: "The folder of the package. The default is the current folder.")
    var package = "."

    @Option(help: "The product to run. It can be left out if the package has one executable.")
    var product: String?

    @Argument(parsing: .postTerminator, help: "Arguments of the daemon, after --.")
    var arguments: [PathArgument] = []

    func run() async throws {
        let package = try await AuthorPackage(self.package, product: product)
        let socket =
            options.socket?.path
            ?? SocketPath.standard(of: package.product, environment: ProcessText.variables, uid: UInt32(geteuid()))
        var loop = DevLoop(package: package, socket: socket, arguments: arguments.map(\.path))
        try await loop.run()
    }
}

/// The loop of `viewmodelctl dev`: build, restart, wait for a change.
struct DevLoop {
    private static let step = Duration.milliseconds(100)

    var package: AuthorPackage
    let socket: String
    let arguments: [String]
    var daemon: DevelopedDaemon?

    /// Runs until the task is cancelled.
    mutating func run() async throws {
        say("Socket: \(socket)")
        var saved: Date?
        do {
            while true {
                // What changes during the build is built next.
                let built = snapshot()
                try await buildAndRestart(saved: saved)
                let change = try await waitForChange(of: built)
                saved = change.saved
                if change.paths.contains(SourceSnapshot.manifest) { try await package.readSources() }
            }
        } catch {
            await daemon?.process.stop()
            throw error
        }
    }

    /// Builds the daemon and starts it.
    ///
    /// The new daemon replaces the running one. `saved` is the time of the change; nil for the first build.
    private mutating func buildAndRestart(saved: Date?) async throws {
        let start = ContinuousClock.now
        let build = try await package.build()
        guard build.status == 0 else {
            say("The build failed; \(daemon == nil ? "there is no daemon yet" : "the daemon goes on unchanged")")
            let error = build.firstError
            if let error { say(error) }
            let place = error.map { ": \($0.replacing("\(package.folder)/", with: ""))" } ?? ""
            daemon?.hint("The build failed\(place)")
            return
        }
        let buildTime = ContinuousClock.now - start
        if let former = daemon {
            let status = await former.process.stop()
            if status != 0 { say("The former daemon ended with status \(status)") }
        }
        let restart = ContinuousClock.now
        let new = try DevelopedDaemon(
            package.program,
            ["--socket", socket, "--state-directory", "\(package.folder)/.build/dev"] + arguments
        )
        daemon = new
        guard try await new.process.answers(at: socket) else {
            say("The daemon ended with status \(new.process.status) before it listened")
            return
        }
        let times = "build \(seconds(buildTime)), start \(seconds(ContinuousClock.now - restart))"
        if let saved {
            say("\(seconds(.seconds(Date().timeIntervalSince(saved)))) from save to frame: \(times)")
        } else {
            say("Ready: \(times)")
        }
    }

    private func snapshot() -> SourceSnapshot { SourceSnapshot(of: package.folder, sources: package.sources) }

    /// Waits until the sources differ from those that were built.
    ///
    /// It returns the paths that differ, and the time of the latest change.
    private func waitForChange(of built: SourceSnapshot) async throws -> (paths: [String], saved: Date) {
        var runs = daemon?.process.isRunning ?? false
        while true {
            try await Task.sleep(for: Self.step)
            if runs, let daemon = daemon?.process, !daemon.isRunning {
                runs = false
                say("The daemon ended with status \(daemon.status); it is started again after the next change")
            }
            let current = snapshot()
            let changes = current.changes(since: built)
            if let first = changes.first {
                say("Changed: \(first)\(changes.count > 1 ? " and \(changes.count - 1) more" : "")")
                return (changes, current.time(of: changes, since: built))
            }
        }
    }

    private func say(_ text: String) {
        try? Descriptor.error.write(line: "viewmodelctl: \(text)")
    }

    private func seconds(_ duration: Duration) -> String {
        let tenths = Int((duration / .milliseconds(100)).rounded())
        return "\(tenths / 10).\(tenths % 10) s"
    }
}

/// A daemon that shows hints of this process in all of its sessions.
struct DevelopedDaemon {
    let process: ChildProcess
    /// The standard input of the daemon.
    ///
    /// Only this process can write to it. Its end, also by the kill of this process, stops the daemon.
    private let input = Pipe()

    init(_ program: String, _ arguments: [String]) throws(CommandFailure) {
        process = try ChildProcess(
            program,
            ["--development"] + arguments,
            descriptors: [input.fileHandleForReading.fileDescriptor, STDERR_FILENO, STDERR_FILENO]
        )
    }

    /// Shows a text without line feeds in all sessions.
    ///
    /// A daemon that has ended shows nothing.
    func hint(_ text: String) {
        try? Descriptor(number: input.fileHandleForWriting.fileDescriptor).write(line: text)
    }
}

/// The files of a package that a build depends on, with the times of their last changes.
struct SourceSnapshot {
    static let manifest = "Package.swift"

    /// The time at which the snapshot was begun.
    private let date = Date()
    private var dates: [String: Date] = [:]

    /// Reads the times of `Package.swift` and of all files in some folders of the package, hidden ones excepted.
    init(of folder: String, sources: [String]) {
        add(Self.manifest, in: folder)
        for source in sources {
            guard let files = FileManager.default.enumerator(atPath: "\(folder)/\(source)") else { continue }
            for case let path as String in files {
                let name = path.split(separator: "/").last ?? ""
                // A target in the folder of the package has `.build` below it.
                if name.hasPrefix(".") {
                    files.skipDescendants()
                } else if !name.hasSuffix("~") {
                    // Editors write such files beside the real ones.
                    add(source == "." ? path : "\(source)/\(path)", in: folder)
                }
            }
        }
    }

    private mutating func add(_ path: String, in folder: String) {
        guard let status = stat(of: "\(folder)/\(path)"), status.kind == S_IFREG else { return }
        let time = status.st_mtim
        dates[path] = Date(timeIntervalSince1970: Double(time.tv_sec) + Double(time.tv_nsec) / 1e9)
    }

    /// Returns the paths that were added, changed or removed since another snapshot, in order.
    func changes(since former: Self) -> [String] {
        Set(dates.keys).union(former.dates.keys).filter { dates[$0] != former.dates[$0] }.sorted()
    }

    /// Returns the time of the latest of some changes since another snapshot.
    ///
    /// A file that was removed, or brought with an older time, has changed between the two snapshots. The time is then that
    /// of this snapshot.
    func time(of changes: [String], since former: Self) -> Date {
        changes.compactMap { dates[$0] }.filter { $0 >= former.date }.max() ?? date
    }
}
