import Testing
import ViewModelKit
import ViewModelTesting

@Suite struct `A volatile output` {
    @Test(arguments: ["gauge", "explicitGauge"]) func `is marked in the contract, and no other is`(type: String) throws
    {
        var catalog = ViewModelCatalog()
        try catalog.host(Gauge.self, ExplicitGauge.self)
        let document = try SessionHarness(catalog).connectAnonymously().request("rpc.discover")
        let outputs = try #require(document["x-viewModels"]?[type]?["outputs"]?.objectValue)
        #expect(outputs.filter { $0.value["volatile"] == true }.map(\.key) == ["level", "levels", "alarm"])
    }
}

/// A gauge.
@ViewModel
private final class Gauge {
    /// A level.
    @Schemable
    struct Level: Identifiable { let id: Int }

    /// The level.
    @Volatile @Output private(set) var level = 1
    /// The levels so far.
    @Volatile @Rows var levels: [Level] { [Level(id: level)] }
    /// The level is too high.
    @Volatile @Event var alarm: Int
    /// The name.
    @Output private(set) var name = "boiler"

    /// Measures the level.
    @Input func measure(_ level: Int) {
        self.level = level
        if level > 9 { $alarm.send(level) }
    }
}

/// A gauge in the explicit form.
@ViewModel
private final class ExplicitGauge {
    struct Outputs {
        /// The level.
        @Volatile let level: Output<Int>
        /// The levels so far.
        @Volatile let levels: ListOutput<Gauge.Level>
        /// The level is too high.
        @Volatile let alarm: Event<Int>
        /// The name.
        let name: Output<String>
    }

    let outputs: Outputs

    init() {
        let level = Cell(1)
        outputs = Outputs(
            level: Output(level),
            levels: ListOutput(Derived { [Gauge.Level(id: level.value)] }),
            alarm: Event(),
            name: Output(Cell("boiler"))
        )
    }
}
