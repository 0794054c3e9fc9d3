import CoreMetrics
import Testing
import ViewModelKit
import ViewModelMetrics
import ViewModelTesting

/// The metrics as clients see them.
@Suite struct OpenMetricsTests {
    @Test func `a read gets the current text, and a binding gets one that is at most a second old`() throws {
        let registry = MetricsRegistry()
        let counter = Counter(label: "x", factory: registry)
        let metrics = try Harness(OpenMetrics.self) { context in
            OpenMetrics(registry: registry, clock: context.clock)
        }
        let client = metrics.session.connectAnonymously()
        func read() throws -> Double? {
            try client.read("metrics").values["text"]?.stringValue.flatMap { try Exposition($0).value("x_total") }
        }
        #expect(try read() == 0)
        counter.increment()
        metrics.advance(by: .seconds(1))
        #expect(try read() == 1)
        try client.bind("metrics")
        counter.increment()
        metrics.advance(by: .milliseconds(999))
        #expect(client.frames.isEmpty)
        metrics.advance(by: .milliseconds(1))
        #expect(client.frames.count == 1)
        try client.unbind("metrics")
        counter.increment()
        metrics.advance(by: .seconds(10))
        #expect(client.frames.count == 1)
        #expect(try read() == 3)
    }
}
