import TestSupport
import Testing
import ViewModelHost
import ViewModelProtocol
import ViewModelTesting

/// Clients of all paces, windows and choices look at one board that changes at random.
@Suite struct `Any client's picture` {
    private final class Looker {
        let client: TestClient
        let outputs: [String]?
        let windows: [String: Window]?
        let minInterval: Int?
        /// The picture, kept by hand from replies and frames alone.
        var picture: Picture
        var told: [JSONValue] = []
        var lost = 0
        var seen = 0

        init(_ client: TestClient, using random: inout Seeded) throws {
            self.client = client
            let all = ["value", "double", "isEven", "rows", "reversed", "number", "put.executing"]
            outputs = Bool.random(using: &random) ? nil : all.shuffled(using: &random).prefix(4) + ["number"]
            var windows: [String: Window] = [:]
            for list in ["rows", "reversed"] where outputs?.contains(list) ?? true {
                if Bool.random(using: &random) {
                    windows[list] = Window(
                        offset: .random(in: 0..<6, using: &random),
                        limit: .random(in: 0..<6, using: &random)
                    )
                }
            }
            self.windows = windows.isEmpty ? nil : windows
            minInterval = Int.random(in: 0..<3, using: &random) == 0 ? 20 : nil
            picture = Picture(try client.bind("board", outputs: outputs, windows: windows, minInterval: minInterval))
            seen = client.frames.count
        }

        /// Follows the frames that came since the last time.
        func follow(_ check: (Frame, Picture) throws -> Void) throws {
            for frame in client.frames[seen...] {
                try picture.apply(
                    ViewModelChanged.Params(
                        id: frame.instance,
                        seq: frame.seq,
                        values: frame.values,
                        patch: frame.patch,
                        events: frame.events,
                        lost: frame.lost
                    )
                )
                told += frame.events.filter { $0.output == "number" }.map(\.value)
                lost += frame.lost
                try check(frame, picture)
            }
            seen = client.frames.count
        }

        /// Binds again where the picture stands.
        func resume() throws {
            let result = try client.bind(
                "board",
                outputs: outputs,
                windows: windows,
                since: picture.since,
                minInterval: minInterval
            )
            #expect(!result.full)
            try picture.apply(result)
            told += (result.events ?? []).filter { $0.output == "number" }.map(\.value)
            lost += result.lost ?? 0
            seen = client.frames.count
        }
    }

    @Test(arguments: 1...12 as ClosedRange<UInt64>)
    func `is one that the ViewModel had at that step, and the newest in the end`(seed: UInt64) throws {
        var random = Seeded(seed)
        let daemon = try Daemon()
        let writer = try daemon.connect(), reader = try daemon.connect()
        var history: [Int: JSONObject] = [:]
        var told: [JSONValue] = []
        func remember() throws {
            let now = try reader.read("board")
            history[now.seq] = now.values
        }
        func seenThrough(_ windows: [String: Window]?, _ values: JSONObject) -> JSONObject {
            var values = values
            for (name, window) in windows ?? [:] {
                let rows = values[name]?.arrayValue ?? []
                values[name] = [
                    "offset": .integer(window.offset), "count": .integer(rows.count),
                    "rows": .array(Array(rows.dropFirst(window.offset).prefix(window.limit))),
                ]
            }
            return values
        }
        try writer.request("board.idle")
        try remember()
        let lookers = try (0..<5).map { _ in try Looker(try daemon.connect(), using: &random) }
        for _ in 0..<120 {
            let number = Int.random(in: 0..<5, using: &random)
            let kinds = ["insert", "insert", "fill", "remove", "replace", "move", "clear"]
            let edit: JSONValue = [
                "kind": .string(kinds.randomElement(using: &random) ?? ""),
                "index": .integer(.random(in: 0..<10, using: &random)), "number": .integer(number),
            ]
            switch Int.random(in: 0..<10, using: &random) {
            case 0...3: try writer.request("board.edit", edit)
            case 4: try writer.request("board.all", edit)
            case 5, 6:
                try writer.request("board.set", [.integer(number)])
                told.append(.integer(number))
            case 7: try writer.request("board.put", [.integer(number)])
            case 8: daemon.harness.advance(by: .milliseconds(.random(in: 0..<30, using: &random)))
            default: try writer.request("board.flicker", [.integer(number)])
            }
            try remember()
            let looker = lookers[Int.random(in: lookers.indices, using: &random)]
            switch Int.random(in: 0..<6, using: &random) {
            case 0: looker.client.acceptsFrames = false
            case 1: looker.client.acceptsFrames = true
            case 2:
                // What has arrived is followed before the picture is claimed.
                try looker.follow { _, _ in }
                try looker.resume()
            default: break
            }
            for looker in lookers {
                try looker.follow { frame, picture in
                    let then = seenThrough(looker.windows, try #require(history[frame.seq]))
                    for (name, value) in picture.values { #expect(value == then[name]) }
                }
            }
        }
        for looker in lookers { looker.client.acceptsFrames = true }
        daemon.harness.advance(by: .seconds(1))
        for looker in lookers {
            try looker.follow { _, _ in }
            let now = try reader.read("board", outputs: looker.outputs, windows: looker.windows)
            #expect(looker.picture.values == now.values)
            #expect(looker.told == told)
            #expect(looker.lost == 0)
            #expect(looker.client.faults == [])
            #expect(zip(looker.client.frames, looker.client.frames.dropFirst()).allSatisfy { $0.seq < $1.seq })
        }
    }
}
