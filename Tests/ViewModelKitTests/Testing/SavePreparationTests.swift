import Foundation
import Testing
import ViewModelKit
import ViewModelTesting

@Suite struct `What follows from the clock` {
    private let harness: SessionHarness

    init() throws {
        var catalog = ViewModelCatalog()
        try catalog.host(Radio.self) { context in Radio(clock: context.clock) }
        harness = SessionHarness(catalog, savesSessions: true)
    }

    @Test func `is lost by no more than the save interval when the daemon is killed`() throws {
        let client = try harness.connect()
        try client.request("radio.play", [true])
        // Nobody looks, and nothing else changes.
        harness.advance(by: .milliseconds(10_500))
        harness.restart()
        #expect(try harness.connect().read("radio")["heard"] == 10)
    }

    @Test func `is saved when the session ends`() throws {
        let client = try harness.connect(linger: 0)
        try client.request("radio.play", [true])
        harness.advance(by: .milliseconds(7_900))
        client.close()
        #expect(try harness.connect().read("radio")["heard"] == 7)
        harness.advance(by: .seconds(60))
        #expect(try harness.connect().read("radio")["heard"] == 7)
    }

    @Test func `is not saved while it does not change`() throws {
        let client = try harness.connect()
        try client.request("radio.play", [true])
        harness.advance(by: .seconds(5))
        try client.request("radio.play", [false])
        let saves = try client.viewModel("radio", as: Radio.self).saves
        harness.advance(by: .seconds(60))
        #expect(try client.viewModel("radio", as: Radio.self).saves == saves)
        #expect(saves > 0)
    }

    @Test func `has a date that the test sets`() throws {
        let client = try harness.connect()
        harness.date = Date(timeIntervalSince1970: 1_000_000)
        harness.advance(by: .seconds(7))
        #expect(try client.read("radio")["date"] == 1_000_007)
        #expect(harness.date == Date(timeIntervalSince1970: 1_000_007))
    }
}

/// A radio that counts how long one has listened.
@ViewModel
private final class Radio {
    /// The seconds that were heard.
    @Output(every: .seconds(1), while: \Radio.isPlaying) var heard: Int { Int(time / .seconds(1)) }
    /// The seconds since 1970.
    @Output(every: .seconds(1)) var date: Int { Int(clock.date.timeIntervalSince1970) }
    @State private(set) var isPlaying = false
    @State(.session) private var saved = 0.0

    private(set) var saves = 0
    private var started = Duration.zero
    private var saving: SavePreparation?
    private let clock: SessionClock
    private var time: Duration { .seconds(saved) + (isPlaying ? clock.now - started : .zero) }

    init(clock: SessionClock) {
        self.clock = clock
        saving = clock.willSave(while: $isPlaying) { [unowned self] in
            saves += 1
            note()
        }
    }

    private func note() {
        saved = time / .seconds(1)
        started = clock.now
    }

    /// Starts or stops the radio.
    @Input func play(_ plays: Bool) {
        note()
        isPlaying = plays
    }
}
