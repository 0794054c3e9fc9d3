import CoreMetrics
import Testing

@testable import ViewModelMetrics

/// What a registry writes down.
@Suite struct MetricsRegistryTests {
    private let registry = MetricsRegistry(help: ["shop_sales": "What was \"sold\"\nso far"])

    @Test func `an empty registry has an end`() throws {
        #expect(registry.text() == "# EOF\n")
        #expect(try Exposition(registry.text()).families.isEmpty)
    }

    @Test func `a counter counts, with its help and its unit`() throws {
        Counter(label: "shop_sales_total", factory: registry).increment(by: 3)
        Counter(label: "shop_sales_total", factory: registry).increment()
        Counter(label: "shop_sent_bytes", dimensions: [("way", "out")], factory: registry).increment(by: 9)
        #expect(
            registry.text() == """
                # TYPE shop_sales counter
                # HELP shop_sales What was \\"sold\\"\\nso far
                shop_sales_total 4
                # TYPE shop_sent_bytes counter
                # UNIT shop_sent_bytes bytes
                shop_sent_bytes_total{way="out"} 9
                # EOF

                """
        )
    }

    @Test func `a gauge has what it was told last, a meter what remains`() throws {
        let gauge = Gauge(label: "degrees", factory: registry)
        gauge.record(7)
        gauge.record(-1.5)
        let meter = Meter(label: "queue", factory: registry)
        meter.set(10)
        meter.increment(by: 2.5)
        meter.decrement(by: 12.5)
        let text = try Exposition(registry.text())
        #expect(text.value("degrees") == -1.5)
        #expect(text.value("queue") == 0)
        #expect(text.families["degrees"] == "gauge")
    }

    @Test func `durations fall into buckets of seconds`() throws {
        let timer = Timer(label: "work_seconds", dimensions: [("operation", "read")], factory: registry)
        timer.recordMicroseconds(100)
        timer.recordMilliseconds(3)
        timer.recordSeconds(100)
        let text = try Exposition(registry.text())
        #expect(text.families["work_seconds"] == "histogram")
        #expect(text.value("work_seconds_bucket", ["operation": "read", "le": "0.0001"]) == 1)
        #expect(text.value("work_seconds_bucket", ["operation": "read", "le": "0.0025"]) == 1)
        #expect(text.value("work_seconds_bucket", ["operation": "read", "le": "0.005"]) == 2)
        #expect(text.value("work_seconds_bucket", ["operation": "read", "le": "10.0"]) == 2)
        #expect(text.value("work_seconds_bucket", ["operation": "read", "le": "+Inf"]) == 3)
        #expect(text.value("work_seconds_count", ["operation": "read"]) == 3)
        #expect(text.value("work_seconds_sum", ["operation": "read"]) == 100.0031)
    }

    @Test(arguments: ["plain", "a \"b\"", "back\\slash", "two\nlines", "", "größe, {x}"])
    func `a label's value comes back as it was`(value: String) throws {
        Counter(label: "x", dimensions: [("place", value), ("b", "2")], factory: registry).increment()
        #expect(try Exposition(registry.text()).value("x_total", ["place": value, "b": "2"]) == 1)
    }

    @Test func `names become names that the format takes`() throws {
        Counter(label: "my-app.requests", dimensions: [("1st:way", "x")], factory: registry).increment()
        Gauge(label: "9 lives", factory: registry).record(9)
        let text = try Exposition(registry.text())
        #expect(text.value("my_app_requests_total", ["_st_way": "x"]) == 1)
        #expect(text.value("__lives") == 9)
    }

    @Test func `what is no number has a name`() throws {
        Gauge(label: "a", factory: registry).record(Double.nan)
        Gauge(label: "b", factory: registry).record(-Double.infinity)
        let lines = registry.text().split(separator: "\n")
        #expect(lines.contains("a NaN") && lines.contains("b -Inf"))
        _ = try Exposition(registry.text())
    }

    @Test func `a name that two kinds want is the first one's`() throws {
        Counter(label: "x", factory: registry).increment()
        Gauge(label: "x", factory: registry).record(5)
        #expect(registry.text() == "# TYPE x counter\nx_total 1\n# EOF\n")
    }

    @Test func `a series stays when its handle has gone`() {
        let counter = Counter(label: "x", factory: registry)
        counter.increment()
        counter.destroy()
        Counter(label: "x", factory: registry).increment()
        #expect(registry.text().contains("x_total 2\n"))
    }

    @Test func `nothing is lost when many threads count`() async throws {
        let counter = Counter(label: "x", factory: registry)
        let meter = Meter(label: "y", factory: registry)
        let timer = Timer(label: "z", factory: registry)
        await withTaskGroup(of: Void.self) { tasks in
            for _ in 0..<8 {
                tasks.addTask {
                    for _ in 0..<10_000 {
                        counter.increment()
                        meter.increment()
                        timer.recordSeconds(1)
                    }
                }
            }
        }
        let text = try Exposition(registry.text())
        #expect(text.value("x_total") == 80_000 && text.value("y") == 80_000)
        #expect(text.value("z_sum") == 80_000 && text.value("z_count") == 80_000)
    }
}
