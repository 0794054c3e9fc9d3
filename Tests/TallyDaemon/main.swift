import ArgumentParser
import Logging
import ServiceLifecycle
import ViewModelDaemon
import ViewModelKit

/// Strokes that are counted.
@ViewModel
final class Tally {
    /// The number of strokes.
    @Output(.session) private(set) var strokes = 0
    /// The number with which each session begins.
    @Output private(set) var start = 0

    init(start: Int) {
        self.start = start
    }

    /// Adds a stroke.
    @Input func stroke() { strokes += 1 }
}

/// The flag of this daemon.
struct TallyOptions: ParsableArguments {
    @Option(help: "The number with which each session begins.")
    var start = 7
}

/// A service beside the server.
struct Bell: Service {
    let logger: Logger

    func run() async throws {
        logger.info("The bell begins")
        try await gracefulShutdown()
        logger.info("The bell ends")
    }
}

await ViewModelDaemon("tally-d", version: "1.2.3", options: TallyOptions.self) { catalog, daemon, options in
    try catalog.host(Tally.self) { _ in Tally(start: options.start) }
    daemon.run(Bell(logger: daemon.logger))
}.run()
