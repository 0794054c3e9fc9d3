import Testing
import ViewModelKit
import ViewModelTesting

/// A ViewModel whose numbers JSON may not be able to write.
@ViewModel
final class Gauge {
    struct Inputs {
        /// Divides one by it, and counts.
        let divide = Input<Double>()
        /// Takes the square root of it, and counts.
        let root = Input<Double>()
    }
    struct Outputs {
        /// One divided by the last number, which is infinite for zero, or its square root, which may be no number.
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
        inputs.root.sink { square in
            quotient.value = square.squareRoot()
            count.value += 1
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

    @Test func `leaves its output at the last good one, even if it differs from itself`() throws {
        var catalog = ViewModelCatalog()
        try catalog.host(Gauge.self) { _ in Gauge() }
        let client = SessionHarness(catalog).connectAnonymously()
        try client.bind("gauge")
        for square in [4, -1, -1, 9] { try client.request("gauge.root", [.integer(square)]) }
        #expect(client.frames.map { $0.values["quotient"] } == [2, nil, nil, 3])
        #expect(client.frames.map { $0.values["count"] } == [1, 2, 3, 4])
    }
}
