import TestSupport
import Foundation
import Testing
import ViewModelProtocol

/// The daemon's numbers against traffic that the test makes.
@Suite struct MetricsTests {
    private let folder = TemporaryFolder()

    @Test func `requests, errors, bytes and connections are counted as they happen`() async throws {
        let begun = Date().timeIntervalSince1970
        try await withDaemon("--lab") { daemon in
            let connection = try daemon.connect()
            _ = try connection.call("viewModel.list")
            let before = try await metrics(of: daemon)
            for number in 0..<10 { _ = try connection.call("lab.set", "[\(number)]") }
            for _ in 0..<3 { _ = try connection.call("lab.fail", #"{"error":"broken"}"#) }
            for _ in 0..<2 { _ = try connection.call("lab.nothing") }
            connection.sendLine(#"{"jsonrpc":"2.0","method":"lab.set","params":["wrong"]}"#)
            _ = try connection.call("viewModel.read", #"{"id":"lab"}"#)
            connection.sendLine("{")
            _ = try connection.message()
            let after = try await metrics(of: daemon)
            func grown(_ sample: String) throws -> Double {
                let new = try #require(after[sample], "\(sample) in \(after.keys.sorted())")
                return new - (before[sample] ?? 0)
            }
            #expect(try grown(#"viewmodeld_requests_total{kind="input"}"#) == 11)
            #expect(try grown(#"viewmodeld_requests_total{kind="action"}"#) == 3)
            // Ours, and that of the command line.
            #expect(try grown(#"viewmodeld_requests_total{kind="method",method="viewModel.read"}"#) == 2)
            #expect(try grown(#"viewmodeld_errors_total{code="-32000"}"#) == 3)
            #expect(try grown(#"viewmodeld_errors_total{code="-32601"}"#) == 2)
            #expect(try grown(#"viewmodeld_errors_total{code="-32602"}"#) == 1)
            #expect(try grown(#"viewmodeld_errors_total{code="-32700"}"#) == 1)
            #expect(try grown("viewmodeld_received_bytes_total") > 700)
            #expect(try grown("viewmodeld_sent_bytes_total") > 700)
            #expect(after["viewmodeld_connections"] == 2 && after["viewmodeld_sessions"] == 2)
            let started = try #require(after["viewmodeld_start_time_seconds"])
            #expect(started >= begun - 1 && started <= Date().timeIntervalSince1970 + 1)
        }
    }

    @Test func `nothing is counted before the first connection, then frames and what a saved session costs`()
        async throws
    {
        try await withDaemon("--lab") { daemon in
            let fresh = try await metrics(of: daemon)
            for kind in ["input", "action"] { #expect(fresh[#"viewmodeld_requests_total{kind="\#(kind)"}"#] == 0) }
            // That of the command line alone.
            #expect(fresh["viewmodeld_connections"] == 1 && fresh["viewmodeld_sessions"] == 1)
            let connection = try daemon.connect()
            _ = try connection.call("session.attach", #"{"session":"desk"}"#)
            _ = try connection.call("viewModel.bind", #"{"id":"lab","outputs":["value"]}"#)
            for number in 1...5 { _ = try connection.call("lab.set", "[\(number)]") }
            _ = try connection.call("calculator.press", #"["7"]"#)
            _ = try connection.call("session.close")
            let metrics = try await metrics(of: daemon)
            #expect(metrics["viewmodeld_frames_total"] == 5)
            for operation in ["read", "write"] {
                let count = try #require(metrics[#"viewmodeld_store_seconds_count{operation="\#(operation)"}"#])
                #expect(count >= 1)
                #expect(metrics[#"viewmodeld_store_seconds_bucket{operation="\#(operation)",le="+Inf"}"#] == count)
            }
        }
    }

    @Test func `what waits for a client that does not read is in the backlog, and gone with it`() async throws {
        try await withDaemon { daemon in
            do {
                let slow = try daemon.connectSlowly()
                let unsent = try await metrics(of: daemon)["viewmodeld_backlog_bytes"]
                #expect(unsent ?? 0 > 65536)
                withExtendedLifetime(slow) {}
            }
            let end = ContinuousClock.now + .seconds(120)
            while try await metrics(of: daemon)["viewmodeld_backlog_bytes"] != 0, ContinuousClock.now < end {}
            #expect(try await metrics(of: daemon)["viewmodeld_backlog_bytes"] == 0)
        }
    }

    @Test func `a refused connection is counted by its reason and named`() async throws {
        let file = try folder.write("limits: {connectionsPerUser: 2}", to: "d.yaml")
        let end = try await withDaemon("--config", file) { daemon in
            let kept = try daemon.connect()
            _ = try kept.call("viewModel.list")
            // The connection that found the daemon listening may count for another moment.
            var second = try daemon.connect()
            var refused = 20
            while try second.call("viewModel.list")["error"] != nil {
                second = try daemon.connect()
                refused += 1
            }
            for _ in 0..<20 {
                #expect(try daemon.connect().line()?.contains("limits.connectionsPerUser") == true)
            }
            let read = try kept.call("viewModel.read", #"{"id":"metrics"}"#)
            let text = try #require(read["result"]?["values"]?["text"]?.stringValue)
            #expect(text.contains("viewmodeld_connections_refused_total{reason=\"connectionsPerUser\"} \(refused)\n"))
            #expect(text.contains("viewmodeld_connections_refused_total{reason=\"access\"} 0\n"))
        }
        let lines = end.log.split(separator: "\n").filter { $0.contains("Refused a connection") }
        #expect(lines.first?.contains("limit=limits.connectionsPerUser") == true, "\(lines)")
        #expect(lines.first?.contains("uid=\(getuid())") == true && lines.first?.contains("pid=\(getpid())") == true)
    }

    @Test func `the text goes to a pipe as it is, is one string as JSON, and the documentation has every metric`()
        async throws
    {
        let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let page = try String(contentsOf: repository.appending(path: "docs/observability.md"), encoding: .utf8)
        try await withDaemon { daemon in
            let raw = try await daemon.ctl("metrics")
            #expect(raw.status == 0 && raw.output.hasPrefix("# TYPE ") && raw.output.hasSuffix("\n# EOF\n"))
            let json = try await daemon.ctl("--output", "json", "metrics")
            #expect(json.status == 0 && json.output.split(separator: "\n").count == 1)
            let text = try Array(json.output.utf8).withUnsafeBytes { try JSONValue(parsing: $0) }.stringValue
            #expect(text?.hasSuffix("\n# EOF\n") == true)
            let families = raw.output.split(separator: "\n").compactMap { $0.wholeMatch(of: /# TYPE (\S+) \S+/)?.1 }
            #expect(families.count > 10)
            for family in families {
                #expect(page.contains("`\(family)"), "\(family)")
                #expect(raw.output.contains("# HELP \(family) "), "\(family)")
            }
        }
    }

    /// The samples by name and labels, as they stand in the text.
    private func metrics(of daemon: TemporaryDaemon) async throws -> [String: Double] {
        let result = try await daemon.ctl("metrics")
        try #require(result.status == 0, "\(result.errors)")
        var samples: [String: Double] = [:]
        for line in result.output.split(separator: "\n") where !line.hasPrefix("#") {
            let space = try #require(line.lastIndex(of: " "))
            samples[String(line[..<space])] = Double(line[line.index(after: space)...])
        }
        return samples
    }
}
