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

    /// The number of knocks at the last save.
    @Output(.session) private(set) var knocks = 0
    @State(.session) private var touches = 0
    @State private var isKnocked = false
    private var unsavedKnocks = 0
    private var saving: SavePreparation?

    init(start: Int, clock: SessionClock) {
        self.start = start
        saving = clock.willSave(while: $isKnocked) { [unowned self] in knocks = unsavedKnocks }
    }

    /// Adds a stroke.
    @Input func stroke() { strokes += 1 }

    /// Adds a touch, which no output shows.
    @Input func touch() { touches += 1 }

    /// Adds a knock, which is shown with the next save.
    @Input func knock() {
        unsavedKnocks = max(unsavedKnocks, knocks) + 1
        isKnocked = true
    }
}

/// The tally of a later version, whose strokes are another type.
@ViewModel("tally")
final class WordTally {
    /// The strokes in words.
    @Output(.session) private(set) var strokes = "none"
}

/// The flag of this daemon.
struct TallyOptions: ParsableArguments {
    @Option(help: "The number with which each session begins.")
    var start = 7

    @Flag(help: "Count in words.")
    var words = false
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
    if options.words {
        try catalog.host(WordTally.self) { _ in WordTally() }
    } else {
        try catalog.host(Tally.self) { context in Tally(start: options.start, clock: context.clock) }
    }
    daemon.run(Bell(logger: daemon.logger))
}.run()
