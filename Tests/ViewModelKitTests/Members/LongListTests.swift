import Synchronization
import TestSupport
import Testing
import ViewModelKit
import ViewModelProtocol
import ViewModelTesting

@Suite struct `A long derived list` {
    private let harness: SessionHarness
    private let counts = Counts()
    private let client: TestClient

    init() throws {
        let counts = self.counts
        var catalog = ViewModelCatalog()
        try catalog.host(Archive.self) { _ in Archive(counts: counts, count: 5000) }
        harness = SessionHarness(catalog)
        client = try harness.connect()
    }

    /// The change of the row 70.
    private static let renaming = JSONPatch([
        .replace(path: JSONPointer(tokens: ["found", "70"]), value: ["id": 70, "text": "New"])
    ])
    private static let window = ["found": Window(offset: 0, limit: 20)]

    @Test func `is not computed while nobody has bound it`() throws {
        try client.bind("archive", outputs: ["search"])
        try client.request("archive.search", ["7"])
        try client.request("archive.search", ["8"])
        #expect(counts.computed == 0)
        #expect(counts.shown == 0)
        #expect(try client.read("archive", outputs: ["found"])["found"]?.arrayValue?.count == 1355)
        #expect(counts.computed == 1)
        // The value is known until a source changes.
        _ = try client.read("archive", outputs: ["found"])
        #expect(counts.computed == 1)
        try client.request("archive.search", ["9"])
        try client.request("archive.search", ["99"])
        #expect(counts.computed == 1)
    }

    @Test func `makes the rows of a window only`() throws {
        try client.bind("archive", windows: Self.window)
        #expect(counts.shown == 20)
        try client.request("archive.search", ["7"])
        #expect(counts.shown == 40)
        #expect(counts.computed == 2)
        let found = client.picture(of: "archive")?["found"]
        #expect(found?["count"] == 1355)
        #expect(found?["rows"]?.arrayValue?.first == ["id": 7, "text": "Episode 7"])
        // Rows outside of the window.
        try client.request("archive.rename", ["id": 4987, "title": "7"])
        #expect(counts.shown == 40)
        #expect(client.frames.count == 1)
    }

    @Test func `is sent to a client that has bound all of it as a difference`() throws {
        try client.bind("archive")
        #expect(counts.shown == 5000)
        try client.request("archive.rename", ["id": 70, "title": "New"])
        #expect(counts.shown == 5001)
        #expect(client.frames.last?.patch == Self.renaming)
        // Two rows far from each other.
        try client.request("archive.exchange", ["first": 10, "second": 4000])
        #expect(counts.shown == 5003)
        #expect(client.frames.last?.patch?.operations.count == 4)
        #expect(try client.read("archive")["found"] == client.picture(of: "archive")?["found"])
    }

    @Test(arguments: [false, true])
    func `makes each row at most once in a step`(bindsAllFirst: Bool) throws {
        let others = try (0..<3).map { _ in try harness.connect() }
        if bindsAllFirst { try client.bind("archive") }
        try others[0].bind("archive", windows: Self.window)
        try others[1].bind("archive", windows: ["found": Window(offset: 10, limit: 20)])
        try others[2].bind("archive")
        if !bindsAllFirst { try client.bind("archive") }
        let before = counts.shown
        try client.request("archive.search", ["7"])
        #expect(counts.shown == before + 1355)
        let all = try #require(client.picture(of: "archive")?["found"]?.arrayValue)
        #expect(all.count == 1355)
        #expect(others[2].picture(of: "archive")?["found"] == .array(all))
        #expect(others[1].picture(of: "archive")?["found"]?["rows"] == .array(Array(all[10..<30])))
    }

    @Test func `is told as a difference to a client that was away`() throws {
        try client.bind("archive")
        let picture = try #require(client.picture(of: "archive"))
        try client.request("viewModel.unbind", ["id": "archive"])
        try client.request("archive.rename", ["id": 70, "title": "Old"])
        try client.request("archive.rename", ["id": 70, "title": "New"])
        #expect(counts.computed == 1)
        let reply = try client.bind("archive", since: Since(epoch: picture.epoch, seq: picture.seq))
        #expect(reply.full == false)
        #expect(reply.patch == Self.renaming)
        #expect(counts.computed == 2)
    }

    @Test func `is not sent to a client that was away if it has not changed`() throws {
        try client.bind("archive")
        let picture = try #require(client.picture(of: "archive"))
        try client.request("viewModel.unbind", ["id": "archive"])
        try client.request("archive.rename", ["id": 70, "title": "Old"])
        try client.request("archive.rename", ["id": 70, "title": "Episode 70"])
        let reply = try client.bind("archive", since: Since(epoch: picture.epoch, seq: picture.seq))
        #expect(reply.values == [:])
        #expect(reply.patch == nil)
    }

    @Test(arguments: 1...3 as ClosedRange<UInt64>)
    func `keeps pictures right, whatever changes and whoever looks`(seed: UInt64) throws {
        var random = Seeded(seed)
        let others = try (0..<3).map { _ in try harness.connect() }
        try client.bind("archive")
        for _ in 0..<12 {
            for other in others {
                switch Int.random(in: 0..<4, using: &random) {
                case 0: try other.bind("archive")
                case 1:
                    let offset = Int.random(in: 0..<5000, using: &random)
                    try other.bind("archive", windows: ["found": Window(offset: offset, limit: 20)])
                case 2: if other.picture(of: "archive") != nil { try other.unbind("archive") }
                default: break
                }
            }
            if Bool.random(using: &random) { try client.unbind("archive") }
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                let text = ["", "1", "7", "77"].randomElement(using: &random) ?? ""
                try client.request("archive.search", [.string(text)])
            case 1:
                let id = Int.random(in: 0..<5000, using: &random)
                try client.request("archive.rename", ["id": .integer(id), "title": .string("7 of \(id)")])
            case 2: try client.request("archive.reverse")
            default:
                let indices = (0..<2).map { _ in JSONValue.integer(.random(in: 0..<5000, using: &random)) }
                try client.request("archive.exchange", ["first": indices[0], "second": indices[1]])
            }
            let all = try client.read("archive", outputs: ["found"])["found"]?.arrayValue ?? []
            for other in others + [client] {
                guard let found = other.picture(of: "archive")?["found"] else { continue }
                if let offset = found["offset"]?.intValue {
                    #expect(found["count"] == .integer(all.count))
                    #expect(found["rows"]?.arrayValue == Array(all.dropFirst(offset).prefix(20)))
                } else {
                    #expect(found.arrayValue == all)
                }
            }
            try client.bind("archive")
        }
    }
}

@Suite struct `A list that is replaced` {
    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func `as a whole tells edits that give the list, or none`(seed: UInt64) throws {
        var random = Seeded(seed)
        let harness = try GraphHarness()
        let (cell, output) = harness.list((0..<3000).map { Row(id: $0, text: "") })
        output.source.commitInitialValue()
        var rows = cell.value
        var past = [(step: harness.graph.sequence, rows: rows)]
        var told = 0
        for number in 0..<40 {
            let asks = Bool.random(using: &random)
            harness.step {
                for _ in 0..<Int.random(in: 1...2, using: &random) {
                    switch Int.random(in: 0..<4, using: &random) {
                    case 0:
                        rows.swapAt(.random(in: 0..<10, using: &random), .random(in: 2000..<2010, using: &random))
                        cell.replaceAll(with: rows)
                    case 1:
                        rows.shuffle(using: &random)
                        cell.replaceAll(with: rows)
                    case 2:
                        cell.replaceAll(with: rows.reversed())
                        cell.replaceAll(with: rows)
                    default:
                        rows.insert(Row(id: 5000 + number * 10 + rows.count % 10, text: "new"), at: 7)
                        cell.insert(rows[7], at: 7)
                        rows.remove(at: 8)
                        cell.remove(at: 8)
                    }
                }
                // As a binding does.
                harness.graph.afterCommit { if asks { _ = try? output.source.edits(since: past[past.count - 1].step) } }
            }
            #expect(output.value == rows)
            past.append((harness.graph.sequence, rows))
            let earlier = past[Int.random(in: max(0, past.count - 4)..<past.count, using: &random)]
            guard let edits = try output.source.edits(since: earlier.step) else { continue }
            told += 1
            var texts = try earlier.rows.map { try harness.graph.encode($0) }
            texts.apply(edits)
            #expect(texts == (try rows.map { try harness.graph.encode($0) }))
        }
        #expect(told > 0)
    }
}

/// Counts what a library computes.
private final class Counts: Sendable {
    private let computations = Atomic(0)
    private let rows = Atomic(0)

    /// The number of times that the list was computed.
    var computed: Int { computations.load(ordering: .relaxed) }
    /// The number of rows that were made.
    var shown: Int { rows.load(ordering: .relaxed) }

    func compute() { computations.add(1, ordering: .relaxed) }
    func show() { rows.add(1, ordering: .relaxed) }
}

private struct Episode: Identifiable, Equatable {
    let id: Int
    var title: String
    let counts: Counts

    static func == (left: Self, right: Self) -> Bool { left.id == right.id && left.title == right.title }
}

@Schemable
private struct EpisodeRow: Identifiable {
    let id: Int
    let text: String

    init(episode: Episode) {
        episode.counts.show()
        (id, text) = (episode.id, episode.title)
    }
}

/// Episodes that one searches.
@ViewModel
private final class Archive {
    @Field var search = ""
    @Rows(of: EpisodeRow.init(episode:)) var found: [Episode] {
        counts.compute()
        return search.isEmpty ? episodes : episodes.filter { $0.title.utf8.contains { search.utf8.first == $0 } }
    }
    @State private var episodes: [Episode]

    private let counts: Counts

    init(counts: Counts, count: Int) {
        self.counts = counts
        episodes = (0..<count).map { Episode(id: $0, title: "Episode \($0)", counts: counts) }
    }

    @Input func rename(id: Int, title: String) { episodes[id].title = title }

    @Input func exchange(first: Int, second: Int) { episodes.swapAt(first, second) }

    @Input func reverse() { episodes.reverse() }
}
