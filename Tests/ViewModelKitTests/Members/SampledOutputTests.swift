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
        try catalog.host(ExplicitTurntable.self) { context in ExplicitTurntable(clock: context.clock) }
        harness = SessionHarness(catalog)
        client = try harness.connect()
    }

    private static let types = ["turntable", "explicitTurntable"]

    @Test(arguments: types) func `is sampled while it is bound and its condition holds`(type: String) throws {
        try client.bind(type)
        harness.advance(by: .seconds(5))
        #expect(client.frames.isEmpty)
        try client.request("\(type).play", [true])
        harness.advance(by: .seconds(3))
        #expect(client.frames.compactMap { $0.values["position"]?.intValue } == [1, 2, 3])
        // Between two samples.
        harness.advance(by: .milliseconds(500))
        try client.request("\(type).play", [false])
        harness.advance(by: .seconds(60))
        #expect(client.frames.count == 5)
        #expect(client.picture(of: type)?["position"] == 3)
    }

    @Test(arguments: types) func `is not sampled while nobody has bound it`(type: String) throws {
        try client.bind(type, outputs: ["isPlaying"])
        try client.request("\(type).play", [true])
        let before = client.frames.count
        let step = try client.request("\(type).play", [true])
        harness.advance(by: .seconds(60))
        #expect(client.frames.count == before)
        // No step has had a number.
        #expect(try client.request("\(type).play", [true]) == step)
        try client.bind(type)
        #expect(client.picture(of: type)?["position"] == 60)
        try client.unbind(type)
        harness.advance(by: .seconds(60))
        #expect(client.frames.count == before)
    }

    @Test(arguments: types) func `is computed when it is read`(type: String) throws {
        try client.request("\(type).play", [true])
        harness.advance(by: .seconds(7))
        #expect(try client.read(type)["position"] == 7)
        harness.advance(by: .seconds(7))
        #expect(try client.read(type, outputs: ["position"])["position"] == 14)
    }

    @Test(arguments: types) func `is sampled once for all clients, as long as one of them has bound it`(type: String)
        throws
    {
        let other = try harness.connect()
        try client.bind(type)
        try other.bind(type)
        try client.request("\(type).play", [true])
        harness.advance(by: .seconds(2))
        #expect(client.frames.map(\.seq) == other.frames.map(\.seq))
        #expect(other.frames.compactMap { $0.values["position"] } == [1, 2])
        try client.unbind(type)
        harness.advance(by: .seconds(2))
        #expect(other.frames.compactMap { $0.values["position"] } == [1, 2, 3, 4])
        other.close()
        harness.advance(by: .seconds(60))
        #expect(try client.read(type, outputs: ["isPlaying"])["isPlaying"] == true)
    }

    @Test(arguments: types) func `stops with its instance`(type: String) throws {
        try client.request("viewModel.open", ["type": .string(type), "id": "second"])
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

/// A player of records, in the explicit form.
@ViewModel
private final class ExplicitTurntable {
    struct Inputs {
        /// Starts or stops the record.
        let play = Input<Bool>()
    }
    struct Outputs {
        /// Whether a record is played.
        let isPlaying: Output<Bool>
        /// The position in seconds.
        let position: Output<Int>
    }
    let inputs = Inputs(), outputs: Outputs

    init(clock: SessionClock) {
        let isPlaying = Cell(false)
        var (started, played) = (Duration.zero, Duration.zero)
        inputs.play.sink { plays in
            guard plays != isPlaying.value else { return }
            if plays { started = clock.now } else { played += clock.now - started }
            isPlaying.value = plays
        }
        outputs = Outputs(
            isPlaying: Output(isPlaying),
            position: Output(every: .seconds(1), while: isPlaying) {
                Int((isPlaying.value ? played + clock.now - started : played) / .seconds(1))
            }
        )
    }
}
