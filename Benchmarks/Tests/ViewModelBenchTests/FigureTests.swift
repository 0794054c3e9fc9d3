import Foundation
import Testing

@testable import ViewModelBench

@Suite("A figure of the benchmark") struct FigureTests {
    private func figure(_ target: Figure.Target, _ values: [Double], floor: [Double]? = nil) -> Figure {
        var figure = Figure("what", unit: "µs", target)
        for (index, value) in values.enumerated() { figure.add(value, floor: floor?[index]) }
        return figure
    }

    @Test func `compares within a round, and takes the median of that`() {
        let drifting = figure(.atMost(2), [10, 30, 20], floor: [10, 10, 10])
        #expect(drifting.ratio == 2)
        #expect(drifting.median == 20)
        #expect(drifting.floorMedian == 10)

        // A machine that slows down in the middle slows both.
        #expect(figure(.atMost(2), [10, 100, 12], floor: [10, 100, 12]).ratio == 1)
        #expect(figure(.atMost(2), [1, 2, 3, 4]).median == 2.5)
        #expect(figure(.atMost(2), [1]).ratio == nil)
    }

    @Test func `holds while it misses its target by no more than the noise`() {
        #expect(figure(.atMost(2), [2, 2, 2, 2]).holds)
        #expect(!figure(.atMost(2), [2.1, 2.1, 2.1, 2.1]).holds)
        #expect(figure(.atMost(2), [1.5, 2.1, 2.1, 2.9]).holds)
        #expect(figure(.atLeast(0.95), [0.95]).holds)
        #expect(!figure(.atLeast(0.95), [0.9, 0.9, 0.9]).holds)
        #expect(figure(.atLeast(0.95), [0.8, 0.9, 1.2, 0.9]).holds)
    }

    @Test func `is a line of the table, and says all it knows as JSON`() throws {
        var crowd = figure(.atMost(1.5), [3, 4], floor: [2, 2])
        crowd.add(5, floor: 2, p99: 123.4)
        let report = Report(machine: "a machine", rounds: 3, figures: [crowd, figure(.atLeast(1), [0.25])])

        let lines = report.table.split(separator: "\n")
        #expect(lines.first == "a machine; medians of 3 rounds")
        let cells = lines.filter { $0.hasPrefix("| what ") }
            .map { $0.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) } }
        #expect(cells.contains(["what", "4.00 µs", "123", "2.00", "2.00", "0.50", "≤ 1.50×", "yes"]))
        #expect(cells.contains(["what", "0.25 µs", "", "", "", "0.00", "≥ 1.00", "no"]))

        struct Written: Decodable {
            struct Figure: Decodable {
                var values: [Double]
                var floor: [Double]
                var ratio: Double?
                var holds: Bool
            }
            var figures: [Figure]
        }
        let written = try JSONDecoder().decode(Written.self, from: Data(report.json.utf8))
        #expect(written.figures.map(\.values) == [[3, 4, 5], [0.25]])
        #expect(written.figures.map(\.floor) == [[2, 2, 2], []])
        #expect(written.figures.map(\.ratio) == [2, nil])
        #expect(written.figures.map(\.holds) == [true, false])
    }

    @Test func `takes its percentiles from all latencies`() {
        var sample = Sample()
        for latency in (1...100).shuffled() { sample.add(latency: UInt64(latency) * 1000) }
        #expect(sample.microseconds(quantile: 0.5) == 51)
        #expect(sample.microseconds(quantile: 0.99) == 100)
        #expect(sample.microseconds(quantile: 1) == 100)
        #expect(Sample().microseconds(quantile: 0.5) == 0)
    }
}
