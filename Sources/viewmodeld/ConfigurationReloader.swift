import Dispatch
import Logging
import ServiceLifecycle
import Systemd
import UnixSignals
import ViewModelConfiguration

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A service that reloads the configuration on SIGHUP and when the configuration file changes.
///
/// Live keys change at once. The log names the changed keys that need a restart. If the new configuration is invalid,
/// the old one stays in force.
actor ConfigurationReloader: Service {
    private let loader: ConfigurationLoader
    private var running: DaemonConfiguration
    private let hangups: UnixSignalsSequence
    private let notifier: ServiceNotifier
    private let logger: Logger
    private let apply: @Sendable (DaemonConfiguration) -> Void

    /// Creates a reloader.
    ///
    /// - Parameters:
    ///   - loader: reads the configuration.
    ///   - running: the configuration that the daemon was started with.
    ///   - hangups: the SIGHUPs since the start of the program.
    ///   - notifier: notifies the service manager when a reload begins and ends.
    ///   - logger: logs the outcome of each reload.
    ///   - apply: applies the live keys of a configuration to the running daemon.
    init(
        _ loader: ConfigurationLoader,
        running: DaemonConfiguration,
        hangups: UnixSignalsSequence,
        notifier: ServiceNotifier,
        logger: Logger,
        apply: @escaping @Sendable (DaemonConfiguration) -> Void
    ) {
        self.loader = loader
        self.running = running
        self.hangups = hangups
        self.notifier = notifier
        self.logger = logger
        self.apply = apply
    }

    /// Reloads on each signal and file change until a graceful shutdown.
    func run() async {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                group.addTask { for await _ in self.hangups { await self.reload() } }
                group.addTask {
                    guard let path = self.loader.path else { return }
                    await FileWatch.follow(path) { await self.reload() }
                }
            }
        }
    }

    private func reload() {
        notifier.reloading()
        do {
            adopt(try loader.load())
            notifier.ready(status: "Read the configuration again")
        } catch {
            for problem in error.problems {
                logger.error(
                    "The configuration is invalid; the old one stays in force",
                    metadata: ["place": "\(problem.place)", "reason": "\(problem.message)"]
                )
            }
            notifier.ready(status: "The configuration is invalid; the old one stays in force")
        }
    }

    private func adopt(_ loaded: ConfigurationLoader.Loaded) {
        let changes = running.adopt(loaded.configuration)
        apply(running)
        var metadata: Logger.Metadata = ["changed": "\(changes.applied.joined(separator: ", "))"]
        if let file = loaded.file { metadata["file"] = "\(file)" }
        logger.notice("Read the configuration again", metadata: metadata)
        if !changes.waiting.isEmpty {
            logger.warning(
                "Some changes of the configuration need a restart",
                metadata: ["keys": "\(changes.waiting.joined(separator: ", "))"]
            )
        }
    }
}

/// A watch for writes and replacements of a file (inotify(7)).
///
/// The process does not wake up while the file stays unchanged. The file need not exist. Its directory must exist.
enum FileWatch {
    /// Runs `body` after each change until the task is cancelled.
    ///
    /// Changes during a run of `body` cause one more run. Returns at once if the directory cannot be watched.
    static func follow(_ path: String, _ body: () async -> Void) async {
        let (directory, name) = parts(of: path)
        let descriptor = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
        guard descriptor >= 0 else { return }
        // An editor either rewrites the file, or writes a new file and renames it to this name.
        guard inotify_add_watch(descriptor, directory, UInt32(IN_CLOSE_WRITE | IN_MOVED_TO)) >= 0 else {
            close(descriptor)
            return
        }
        let (changes, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let queue = DispatchQueue(label: "viewmodeld.files")
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setEventHandler {
            if names(from: descriptor).contains(name) { continuation.yield() }
        }
        source.setCancelHandler { close(descriptor) }
        source.activate()
        defer { source.cancel() }
        for await _ in changes { await body() }
    }

    private static func parts(of path: String) -> (directory: String, name: String) {
        guard let slash = path.lastIndex(of: "/") else { return (".", path) }
        return (slash == path.startIndex ? "/" : String(path[..<slash]), String(path[path.index(after: slash)...]))
    }

    /// Returns the file names in the pending events.
    private static func names(from descriptor: Int32) -> Set<String> {
        var names: Set<String> = []
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        while case let count = read(descriptor, &buffer, buffer.count), count > 0 {
            var offset = 0
            while offset < count {
                let (name, length) = buffer.withUnsafeBytes { bytes in
                    let event = bytes.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
                    let start = offset + MemoryLayout<inotify_event>.size
                    let name = bytes[start..<start + Int(event.len)].prefix { $0 != 0 }
                    return (String(decoding: name, as: UTF8.self), MemoryLayout<inotify_event>.size + Int(event.len))
                }
                names.insert(name)
                offset += length
            }
        }
        return names
    }
}
