import FoundationEssentials
import ViewModelKit

/// Every kind of value, for the contract.
@ViewModel
final class Attic {
    /// The name of the attic.
    @Field var name = ""
    /// Counts something.
    @Output private(set) var level = 0
    /// The book that was put last, or null.
    @Output private(set) var last: Book?
    /// All books.
    @Output var books: Rows<Book> = []
    /// The folder of everything.
    @Output private(set) var root: Folder = Folder(name: "", folders: [])
    /// A row of another type of the same name.
    @Output private(set) var other: Other.Book = Other.Book(value: 1)
    /// A page of books.
    @Output private(set) var page: Page<Book> = Page<Book>(items: [])
    /// Every type of a plain value.
    @Output private(set) var plain: Plain = Plain()
    /// A book has fallen.
    @Event var fell: Book.State

    /// Puts a book.
    @Input func put(_ book: Book) {
        books.append(book)
        last = book
    }

    /// Puts several.
    @Input func putAll(_ books: [Book]) {}

    /// Files a folder.
    @Input func file(_ folder: Folder) { root = folder }

    /// Turns the attic.
    @Bounds("degrees", -180...180)
    @Bounds("words", 1...3)
    @Action func turn(degrees: Double, words: [String] = ["a"], secret: Password? = nil) async throws -> Book? { nil }

    /// Names the attic.
    @Bounds(2...8, matching: "^[a-z]*$")
    @Action(.concurrent)
    func rename(_ text: String) -> Int { text.count }

    /// Hides a secret.
    @Input func hide(_ secret: Secret) {}
}

extension Attic {
    /// A book.
    @Schemable
    struct Book: Identifiable {
        /// Whether a book is there.
        @Schemable
        enum State: String, CaseIterable {
            /// On a shelf.
            case present
            case lent = "out"
        }

        /// Counts from 1.
        let id: Int
        /// Its condition, as a number of stars.
        @Bounds(1...5) var stars: Int
        var state: State
        /// For people.
        var note: String?
        var lending: Lending?
    }

    /// Who has a book.
    @Schemable
    struct Lending {
        @Bounds(1...) var name: String
        var since: Date?
    }

    /// Contains folders.
    @Schemable
    struct Folder {
        @Bounds(...3) var name: String
        var folders: [Folder]
        var note: String?
    }

    enum Other {
        @Schemable
        struct Book { var value: Int }
    }

    @Schemable
    struct Page<Item: Schemable & Equatable> { var items: [Item] }

    @Schemable
    struct Plain {
        var date: Date = Date(timeIntervalSince1970: 0)
        var data: Data = Data()
        var id: UUID = UUID()
        var link: URL?
        var price: Decimal = 0
        var ratio = 0.5
        var int = 0
        var uint: UInt = 0
        var byte: UInt8 = 0
        var level: Level = .low
    }

    @Schemable
    enum Level: Int {
        case low = 1
        /// As high as can be.
        case high
    }

    @Schemable
    struct Secret { @Bounds(8...) var password: Password }
}
