import Testing
import ViewModelKit
import ViewModelTesting

/// Edits lists as arrays are edited.
@ViewModel
private final class Shelf {
    @Output var books: Rows<Book> = [Book(id: 3, title: "c"), Book(id: 1, title: "a"), Book(id: 2, title: "b")]

    @Input func add(_ titles: [String]) {
        books += titles.enumerated().map { Book(id: 10 + $0.offset, title: $0.element) }
    }

    @Input func sort() { books.sort() }

    @Input func sortBackwards() { books.sort { $0.title > $1.title } }

    @Input func dropEnds() {
        books.removeFirst()
        books.removeLast()
    }

    @Input func name(_ title: String) {
        books[0].title = title
        books[1] = Book(id: 20, title: title)
    }

    @Input func clear() { books.removeAll() }
}

@Schemable
private struct Book: Identifiable, Comparable {
    let id: Int
    var title: String

    static func < (left: Book, right: Book) -> Bool { left.id < right.id }
}

@Suite struct `A list that is edited as an array` {
    private let harness: Harness<Shelf>

    init() throws {
        harness = try Harness(Shelf.self)
    }

    private var titles: [String] { get throws { try harness.read(\.outputs.books).map(\.title) } }

    @Test func `appends with an operator`() throws {
        try harness.send(\.inputs.add, ["x", "y"])
        #expect(try titles == ["c", "a", "b", "x", "y"])
    }

    @Test func `sorts`() throws {
        try harness.send(\.inputs.sort)
        #expect(try titles == ["a", "b", "c"])
        try harness.send(\.inputs.sortBackwards)
        #expect(try titles == ["c", "b", "a"])
    }

    @Test func `removes the first row, the last one and all`() throws {
        try harness.send(\.inputs.dropEnds)
        #expect(try titles == ["a"])
        try harness.send(\.inputs.clear)
        #expect(try titles == [])
    }

    @Test func `assigns by index, in place and a whole row`() throws {
        try harness.send(\.inputs.name, "z")
        #expect(try titles == ["z", "z", "b"])
        #expect(try harness.read(\.outputs.books).map(\.id) == [3, 20, 2])
    }
}
