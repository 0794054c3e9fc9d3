import TestSupport
import Testing
import ViewModelHost
import ViewModelProtocol
import ViewModelTesting

/// Clients of all paces, windows and choices look at one board that changes at random, some by several bindings.
@Suite struct `Any client's picture` {
    private final class Looker {
        let client: TestClient
        let outputs: [String]?
        let windows: [String: Window]?
        let minInterval: Int?
        let tag: BindingTag?
        let splices: Bool
        /// The ids of the rows of each list, kept by hand from splices; nil for a row that has come since they were read.
        var ids: [String: [JSONValue?]] = [:]
        /// The picture, kept by hand from replies and frames alone.
        var picture: Picture
        var told: [JSONValue] = []
        var lost = 0
        var seen = 0

        init(_ client: TestClient, tag: BindingTag?, using random: inout Seeded) throws {
            self.client = client
            self.tag = tag
            splices = Bool.random(using: &random)
            let all = ["value", "double", "isEven", "rows", "reversed", "number", "put.executing"]
            outputs = Bool.random(using: &random) ? nil : all.shuffled(using: &random).prefix(4) + ["number"]
            var windows: [String: Window] = [:]
            for list in ["rows", "reversed"] where outputs?.contains(list) ?? true {
                if Bool.random(using: &random) {
                    windows[list] = Window(
                        offset: .random(in: 0..<6, using: &random),
                        limit: .random(in: 0..<6, using: &random),
                        anchor: [nil, false, true, true].randomElement(using: &random) ?? nil
                    )
                }
            }
            self.windows = windows.isEmpty ? nil : windows
            minInterval = Int.random(in: 0..<3, using: &random) == 0 ? 20 : nil
            picture = Picture(
                try client.bind(
                    "board",
                    outputs: outputs,
                    windows: windows,
                    minInterval: minInterval,
                    tag: tag,
                    splices: splices
                )
            )
            seen = client.frames.count
        }

        private func isBound(_ output: String) -> Bool { outputs?.contains(output) ?? true }

        /// Follows the rows of whole lists, and compares them with the ids at the step of the picture.
        func follow(_ splices: [String: [ListSplice]], to values: JSONObject, from before: Picture) {
            guard self.splices else { return }
            for list in ["rows", "reversed"] where isBound(list) {
                let present = (values[list]?.arrayValue ?? []).map { $0["id"] }
                if let former = ids[list] {
                    var followed = former
                    for splice in splices[list] ?? [] {
                        #expect(splice.removed + splice.inserted > 0)
                        let new = repeatElement(JSONValue?.none, count: splice.inserted)
                        followed.replaceSubrange(splice.at..<splice.at + splice.removed, with: new)
                    }
                    #expect(followed.count == present.count)
                    #expect(zip(followed, present).allSatisfy { $0 == nil || $0 == $1 })
                    follow(list, from: former, to: followed, before)
                }
                ids[list] = present
            }
        }

        /// Compares the place of a window with the row at its beginning, or with the next one that is left.
        private func follow(_ list: String, from former: [JSONValue?], to followed: [JSONValue?], _ before: Picture) {
            guard let offset = before.values[list]?["offset"]?.intValue else { return }
            let now = picture.values[list]?["offset"]?.intValue
            guard windows?[list]?.anchor == true, offset < former.count else {
                #expect(now == offset)
                return
            }
            let kept = Set(followed.compactMap(\.self))
            guard let first = former[offset...].first(where: { $0.map(kept.contains) == true }) else { return }
            #expect(now == followed.firstIndex(of: first))
        }

        /// What the client sees of values.
        func sees(_ values: JSONObject) -> JSONObject {
            var values = values
            for (name, window) in windows ?? [:] {
                let rows = values[name]?.arrayValue ?? []
                let moved = window.anchor == true ? picture.values[name]?["offset"]?.intValue : nil
                let offset = moved ?? window.offset
                values[name] = [
                    "offset": .integer(offset), "count": .integer(rows.count),
                    "rows": .array(Array(rows.dropFirst(offset).prefix(window.limit))),
                ]
            }
            return values
        }

        /// Follows the frames that came since the last time.
        func follow(_ history: [Int: JSONObject], _ check: (Frame, Picture) throws -> Void) throws {
            for frame in client.frames[seen...] where frame.tag == tag?.text {
                let before = picture
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
                follow(frame.splices, to: try #require(history[frame.seq]), from: before)
                told += frame.events.filter { $0.output == "number" }.map(\.value)
                lost += frame.lost
                try check(frame, picture)
            }
            seen = client.frames.count
        }

        /// Binds again where the picture stands.
        func resume(_ history: [Int: JSONObject]) throws {
            let before = picture
            var windows = windows
            for (name, window) in windows ?? [:] where window.anchor == true {
                windows?[name]?.offset = picture.values[name]?["offset"]?.intValue ?? window.offset
            }
            let result = try client.bind(
                "board",
                outputs: outputs,
                windows: windows,
                since: picture.since,
                minInterval: minInterval,
                tag: tag,
                splices: splices
            )
            #expect(!result.full)
            #expect(result.tag == tag?.text)
            try picture.apply(result)
            follow(result.splices ?? [:], to: try #require(history[result.seq]), from: before)
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
        try writer.request("board.idle")
        try remember()
        let lookers = try [nil, nil, nil, "a", nil, "b"].reduce(into: [Looker]()) { lookers, tag in
            // A tag is another binding of the client before.
            let client = try tag == nil ? daemon.connect() : try #require(lookers.last).client
            lookers.append(try Looker(client, tag: tag.flatMap { BindingTag($0) }, using: &random))
        }
        for looker in lookers {
            looker.follow([:], to: try #require(history[looker.picture.seq]), from: looker.picture)
        }
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
                try looker.follow(history) { _, _ in }
                try looker.resume(history)
            default: break
            }
            for looker in lookers {
                try looker.follow(history) { frame, picture in
                    let then = looker.sees(try #require(history[frame.seq]))
                    for (name, value) in picture.values { #expect(value == then[name]) }
                }
            }
        }
        for looker in lookers { looker.client.acceptsFrames = true }
        daemon.harness.advance(by: .seconds(1))
        for looker in lookers {
            try looker.follow(history) { _, _ in }
            let now = try reader.read("board", outputs: looker.outputs)
            #expect(looker.picture.values == looker.sees(now.values))
            #expect(looker.told == told)
            #expect(looker.lost == 0)
            #expect(looker.client.faults == [])
            let frames = looker.client.frames.filter { $0.tag == looker.tag?.text }
            #expect(zip(frames, frames.dropFirst()).allSatisfy { $0.seq < $1.seq })
        }
    }
}
