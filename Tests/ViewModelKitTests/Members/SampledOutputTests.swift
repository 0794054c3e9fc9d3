import Testing
import ViewModelKit
import ViewModelProtocol
import ViewModelTesting

@Suite struct `An output that changes with time` {
    private let harness: SessionHarness
    private let client: TestClient

    init() throws {
        var catalog = ViewModelCatalog()
        try catalog.host(Turntable.self) { context in Turntable(clock: context.clock) }
        harness = SessionHarness(catalog)
        client = try harness.connect()
    }

    @Test func `is sampled while it is bound and its condition holds`() throws {
        try client.bind("turntable")
        harness.advance(by: .seconds(5))
        #expect(client.frames.isEmpty)
        try client.request("turntable.play", [true])
        harness.advance(by: .seconds(3))
        #expect(client.frames.compactMap { $0.values["position"]?.intValue } == [1, 2, 3])
        // Between two samples.
        harness.advance(by: .milliseconds(500))
        try client.request("turntable.play", [false])
        harness.advance(by: .seconds(60))
        #expect(client.frames.count == 5)
        #expect(client.picture(of: "turntable")?["position"] == 3)
    }

    @Test func `is not sampled while nobody has bound it`() throws {
        try client.bind("turntable", outputs: ["isPlaying"])
        try client.request("turntable.play", [true])
        let before = client.frames.count
        let step = try client.request("turntable.play", [true])
        harness.advance(by: .seconds(60))
        #expect(client.frames.count == before)
        // No step has had a number.
        #expect(try client.request("turntable.play", [true]) == step)
        try client.bind("turntable")
        #expect(client.picture(of: "turntable")?["position"] == 60)
        try client.unbind("turntable")
        harness.advance(by: .seconds(60))
        #expect(client.frames.count == before)
    }

    @Test func `is computed when it is read`() throws {
        try client.request("turntable.play", [true])
        harness.advance(by: .seconds(7))
        #expect(try client.read("turntable")["position"] == 7)
        harness.advance(by: .seconds(7))
        #expect(try client.read("turntable", outputs: ["position"])["position"] == 14)
    }

    @Test func `is sampled once for all clients, as long as one of them has bound it`() throws {
        let other = try harness.connect()
        try client.bind("turntable")
        try other.bind("turntable")
        try client.request("turntable.play", [true])
        harness.advance(by: .seconds(2))
        #expect(client.frames.map(\.seq) == other.frames.map(\.seq))
        #expect(other.frames.compactMap { $0.values["position"] } == [1, 2])
        try client.unbind("turntable")
        harness.advance(by: .seconds(2))
        #expect(other.frames.compactMap { $0.values["position"] } == [1, 2, 3, 4])
        other.close()
        harness.advance(by: .seconds(60))
        #expect(try client.read("turntable", outputs: ["isPlaying"])["isPlaying"] == true)
    }

    @Test func `stops with its instance`() throws {
        try client.request("viewModel.open", ["type": "turntable", "id": "second"])
        try client.bind("second")
        try client.request("second.play", [true])
        try client.request("viewModel.close", ["id": "second"])
        let before = client.frames.count
        harness.advance(by: .seconds(60))
        #expect(client.frames.count == before)
        #expect(harness.incidents.isEmpty)
    }
}

/// A player of records.
@ViewModel
private final class Turntable {
    /// Whether a record is played.
    @Output private(set) var isPlaying = false
    /// The position in seconds.
    @Output(every: .seconds(1), while: \Turntable.isPlaying) var position: Int {
        Int((isPlaying ? played + clock.now - started : played) / .seconds(1))
    }

    private var started = Duration.zero
    private var played = Duration.zero
    private let clock: SessionClock

    init(clock: SessionClock) {
        self.clock = clock
    }

    /// Starts or stops the record.
    @Input func play(_ plays: Bool) {
        guard plays != isPlaying else { return }
        if plays { started = clock.now } else { played += clock.now - started }
        isPlaying = plays
    }
}
