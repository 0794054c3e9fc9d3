import Testing
import ViewModelKit
import ViewModelTesting

/// A ViewModel whose numbers JSON may not be able to write.
@ViewModel
final class Gauge {
    struct Inputs {
        /// Divides one by it, and counts.
        let divide = Input<Double>()
    }
    struct Outputs {
        /// One divided by what came last; infinite for zero.
        let quotient: Output<Double>
        /// How many have come.
        let count: Output<Int>
        /// Each quotient, as it happens.
        let told: Event<Double>
    }
    let inputs = Inputs(), outputs: Outputs

    init() {
        let (quotient, count, told) = (Cell(1.0), Cell(0), Event<Double>())
        outputs = Outputs(quotient: Output(quotient), count: Output(count), told: told)
        inputs.divide.sink { divisor in
            quotient.value = 1 / divisor
            count.value += 1
            told.send(1 / divisor)
        }
    }
}

@Suite struct `A value that cannot be encoded` {
    @Test func `leaves its output at the last good one, and takes no other output with it`() throws {
        var catalog = ViewModelCatalog()
        try catalog.host(Gauge.self) { _ in Gauge() }
        let harness = SessionHarness(catalog)
        let client = harness.connectAnonymously()
        #expect(try client.bind("gauge").values["quotient"] == 1)
        for divisor in [2, 0, 0] { try client.request("gauge.divide", [.integer(divisor)]) }
        #expect(client.frames.map { $0.values["quotient"] } == [.number("0.5"), nil, nil])
        #expect(client.frames.map { $0.values["count"] } == [1, 2, 3])
        #expect(client.frames.map { $0.events.count } == [1, 0, 0])
        #expect(try client.read("gauge").values["quotient"] == .number("0.5"))
        try client.request("gauge.divide", [4])
        #expect(client.frames.last?.values["quotient"] == .number("0.25"))
        #expect(client.picture(of: "gauge")?.values["quotient"] == .number("0.25"))
    }
}
