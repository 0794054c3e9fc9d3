import TestSupport
import Foundation
import Testing
import ViewModelProtocol

/// The daemon as a client sees it that writes bytes by hand.
@Suite struct RawSocketTests {
    @Test func `a line of sixty-four megabytes is not kept`() async throws {
        try await withDaemon { daemon in
            let connection = try daemon.connect()
            _ = try connection.call("viewModel.list")
            let before = try daemon.residentBytes()
            let chunk = String(repeating: "x", count: 1 << 20)
            for _ in 0..<64 { connection.send(chunk) }
            #expect(try connection.message()["error"]?["code"]?.intValue == -32001)
            connection.send("\n")
            #expect(try connection.call("viewModel.list")["result"] != nil)
            #expect(try daemon.residentBytes() - before < 16 << 20)
        }
    }

    @Test func `a client that does not read gets the latest state in one frame`() async throws {
        try await withDaemon("--lab") { daemon in
            let (stalled, busy) = (try daemon.connect(), try daemon.connect())
            for connection in [stalled, busy] {
                _ = try connection.call("session.attach", #"{"session":"desk"}"#)
            }
            _ = try stalled.call("viewModel.bind", #"{"id":"lab","outputs":["value","double"]}"#)
            let before = try daemon.residentBytes()
            let changes = 50_000
            for start in stride(from: 1, through: changes, by: 500) {
                let lines = (start..<start + 500).map { #"{"jsonrpc":"2.0","method":"lab.set","params":[\#($0)]}"# }
                busy.sendLine(lines.joined(separator: "\n"))
                _ = try busy.call("viewModel.list")
            }
            #expect(try daemon.residentBytes() - before < 16 << 20)
            var values: [Int] = []
            while values.last != changes {
                let params = try stalled.message()["params"]
                let value = try #require(params?["values"]?["value"]?.intValue)
                #expect(params?["values"]?["double"]?.intValue == 2 * value)
                values.append(value)
            }
            #expect(values == values.sorted() && values.count < changes / 2, "\(values.count) frames")
        }
    }

    @Test func `a thousand connections at once share what is theirs only`() async throws {
        try await withDaemon("--lab") { daemon in
            let connections = try (0..<1000).map { _ in try daemon.connect() }
            for (number, connection) in connections.enumerated() {
                connection.sendLine(#"{"jsonrpc":"2.0","id":1,"method":"lab.set","params":[\#(number)]}"#)
            }
            for (number, connection) in connections.enumerated() {
                #expect(try connection.message()["result"] != nil)
                let values = try connection.call("viewModel.read", #"{"id":"lab","outputs":["value"]}"#)
                #expect(values["result"]?["values"]?["value"]?.intValue == number)
            }
        }
    }
}
