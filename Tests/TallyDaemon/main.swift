import AccountsFeature
import ArgumentParser
import Foundation
import Logging
import MockFeature
import RecordFeature
import ServiceLifecycle
import SharedStoreFeature
import ViewModelDaemon
import ViewModelKit

/// Strokes that are counted.
@ViewModel
final class Tally {
    @Output(.session) private(set) var strokes = 0
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
    @Output(.session) private(set) var strokes = "none"
}

/// The flag of this daemon.
struct TallyOptions: ParsableArguments {
    @Option(help: "The number with which each session begins.")
    var start = 7

    @Flag(help: "Count in words.")
    var words = false
}

/// The settings of this daemon.
@Schemable
struct TallySettings {
    @Schemable
    enum Pitch: String, CaseIterable { case low, high }

    @Schemable
    struct Room {
        var name = "hall"
        var echoes: Int?
    }

    var pitch: Pitch = .low
    var seconds = 0.5
    var isLoud = false
    var room: Room = Room()
    var homepage: URL = URL(filePath: "/")
    var token: Password?
}

/// What the configuration says.
@ViewModel
final class Chime {
    @Output private(set) var pitch: TallySettings.Pitch
    @Output private(set) var seconds: Double
    @Output private(set) var isLoud: Bool
    @Output private(set) var room: TallySettings.Room
    @Output private(set) var hasToken: Bool

    init(settings: TallySettings) {
        pitch = settings.pitch
        seconds = settings.seconds
        isLoud = settings.isLoud
        room = settings.room
        hasToken = settings.token != nil
    }
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

await ViewModelDaemon(
    "tally-d",
    version: "1.2.3",
    features: [.accounts, .sharedStore, .mock, .record],
    options: TallyOptions.self,
    settings: TallySettings()
) { catalog, daemon, options, settings in
    if options.words {
        try catalog.host(WordTally.self) { _ in WordTally() }
    } else {
        try catalog.host(Tally.self) { context in Tally(start: options.start, clock: context.clock) }
        catalog.provide(Quarry())
        try catalog.host(Door.self, Letters.self, Trouble.self, Stillborn.self)
    }
    try catalog.host(Chime.self) { _ in Chime(settings: settings) }
    daemon.run(Bell(logger: daemon.logger))
}.run()
