import Synchronization
import Testing
import ViewModelKit
import ViewModelProtocol
import ViewModelTesting

@Suite struct `A row that changes` {
    private let count = EncodingCount()
    private let harness: SessionHarness
    private let writer: TestClient

    init() throws {
        let count = self.count
        var catalog = ViewModelCatalog()
        try catalog.host(Shelf.self) { context in
            Shelf(rows: context.shared { ShelfRows(count: count, rowCount: 100) })
        }
        harness = SessionHarness(catalog)
        writer = try harness.connect()
        try writer.request("shelf.replace", [0])
    }

    /// Connects one client for each window, nil being no window, and binds the list.
    private func bind(_ windows: [Window?], to instance: String = "shelf") throws -> [TestClient] {
        try windows.map { window in
            let client = try harness.connect()
            try client.bind(instance, outputs: ["rows"], windows: window.map { ["rows": $0] })
            return client
        }
    }

    /// Returns the number of rows that a request encodes.
    private func encodings(of method: String, _ params: JSONValue) throws -> Int {
        let before = count.value
        try writer.request(method, params)
        return count.value - before
    }

    /// Overlapping windows, each with row 20.
    private func windows(_ count: Int) -> [Window?] {
        (0..<count).map { Window(offset: 20 - $0, limit: 20) }
    }

    @Test(arguments: [1, 2, 10])
    func `is encoded once for any number of bindings with and without windows, and not if it only moves`(
        count: Int
    ) throws {
        var clients: [TestClient] = []
        for bindings in [windows(count), Array(repeating: nil, count: count)] {
            clients += try bind(bindings)
            for (input, index, encoded) in [
                ("replace", 20, 1), ("insert", 20, 1), ("replaceTwo", 20, 2), ("move", 25, 0),
            ] {
                let frames = clients.map(\.frames.count)
                #expect(try encodings(of: "shelf.\(input)", [.integer(index)]) == encoded, "\(input)")
                #expect(clients.map(\.frames.count) == frames.map { $0 + 1 }, "\(input)")
            }
        }
    }

    @Test(arguments: [1, 2, 10])
    func `is encoded once for the instances of a shared list`(instanceCount: Int) throws {
        let clients = try (1...instanceCount).flatMap { number in
            try writer.request("viewModel.open", ["type": "shelf", "id": .string("shelf\(number)")])
            return try bind([nil, Window(offset: 0, limit: 50)], to: "shelf\(number)")
        }
        #expect(try encodings(of: "shelf.replaceTwo", [20]) == 2)
        #expect(clients.allSatisfy { $0.frames.count == 1 })
    }

    @Test(arguments: [1, 2, 10])
    func `is encoded once with its list for any number of clients without patches`(clientCount: Int) throws {
        let clients = try (0..<clientCount).map { _ in
            let client = try harness.connect()
            try client.request("viewModel.bind", ["id": "shelf", "outputs": ["rows"], "patches": false])
            return client
        }
        // The row of the edit, and the 100 rows of the list.
        #expect(try encodings(of: "shelf.replace", [20]) == 1 + 100)
        #expect(clients.allSatisfy { $0.frames.count == 1 })
    }

    @Test func `is encoded for the clients that read it, and not kept for later ones`() throws {
        #expect(try encodings(of: "shelf.replaceTwo", [20]) == 0)
        let clients = try bind([Window(offset: 20, limit: 1)])
        #expect(try encodings(of: "shelf.replace", [20]) == 1)
        let before = count.value
        _ = try bind([Window(offset: 20, limit: 1)])
        #expect(count.value == before + 1)
        #expect(clients[0].frames.count == 1)
    }
}

/// A count of encoded rows.
private final class EncodingCount: Sendable {
    private let rows = Atomic(0)

    var value: Int { rows.load(ordering: .relaxed) }

    func increment() {
        rows.add(1, ordering: .relaxed)
    }
}

/// A row that counts how often it is encoded.
struct ShelfRow: Schemable, Equatable, Identifiable {
    static var schema: Schema { .object([.init("id", .of(Int.self)), .init("text", .of(String.self))]) }

    let id: Int
    var text: String
    fileprivate var count: EncodingCount?

    private enum CodingKeys: CodingKey { case id, text }

    func encode(to encoder: any Encoder) throws {
        count?.increment()
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(text, forKey: .text)
    }

    static func == (left: Self, right: Self) -> Bool { left.id == right.id && left.text == right.text }
}

/// The rows that the shelves of a session share.
private final class ShelfRows {
    let cell: ListCell<ShelfRow>
    private let count: EncodingCount
    private var lastID = 0

    init(count: EncodingCount, rowCount: Int) {
        self.count = count
        cell = ListCell((1...rowCount).map { ShelfRow(id: -$0, text: "old", count: count) })
    }

    /// Returns a row with a text that no row has had.
    func row(id: Int? = nil) -> ShelfRow {
        lastID += 1
        return ShelfRow(id: id ?? lastID, text: "text \(lastID)", count: count)
    }
}

/// A list whose rows count how often they are encoded.
@ViewModel
final class Shelf {
    struct Inputs {
        let replace = Input<Int>()
        let replaceTwo = Input<Int>()
        let insert = Input<Int>()
        let move = Input<Int>()
    }
    struct Outputs {
        let rows: ListOutput<ShelfRow>
    }
    let inputs = Inputs(), outputs: Outputs

    fileprivate init(rows: ShelfRows) {
        outputs = Outputs(rows: ListOutput(rows.cell))
        inputs.replace.sink { rows.cell.replace(rows.row(id: rows.cell[$0].id), at: $0) }
        inputs.replaceTwo.sink { index in
            for index in index...index + 1 { rows.cell.replace(rows.row(id: rows.cell[index].id), at: index) }
        }
        inputs.insert.sink { rows.cell.insert(rows.row(), at: $0) }
        inputs.move.sink { rows.cell.move(from: $0, to: $0 + 1) }
    }
}
