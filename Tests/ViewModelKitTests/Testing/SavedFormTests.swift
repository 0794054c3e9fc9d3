import Testing
import ViewModelHost
import ViewModelKit
import ViewModelProtocol
import ViewModelTesting

/// Versions of ViewModels that read what an earlier version has saved.
@Suite struct `What an earlier version of the code has saved` {
    private let harness: SessionHarness
    private let desk: TestClient

    init() throws {
        harness = SessionHarness(try catalog(First.Notes.self), savesSessions: true)
        desk = try harness.connect()
        try desk.request("notes.add", ["milk"])
        try desk.request("notes.add", ["tea"])
        try desk.request("notes.name", ["Anna"])
        try desk.request("notes.page", [7])
        try desk.request("notes.look", ["wide"])
        try desk.request("notes.store")
    }

    /// Starts another version of the code, and returns a client.
    private func restart<Type: ViewModel & Injectable>(with type: Type.Type) throws -> TestClient {
        harness.restart(with: try catalog(type))
        return try harness.connect()
    }

    /// Returns what the daemon reports, without reasons.
    private func unread(_ client: TestClient) throws -> [String] {
        let values = try client.read("daemon")["unreadValues"]?.arrayValue ?? []
        return values.compactMap { $0["value"]?.stringValue }
    }

    private func lasting(_ name: String) -> JSONValue? {
        let key = SavedValue.Key(owner: "notes", name: name)
        return harness.host.lasting.value(key, of: .user(1000)).flatMap { JSONValue(text: $0.text) }
    }

    @Test func `is read if members with a default value were added`() throws {
        let next = try restart(with: Wider.Notes.self)
        let notes = try next.read("notes")
        #expect(notes["rows"]?.arrayValue?.map { $0["text"] } == ["milk", "tea"])
        #expect(notes["rows"]?[0]?["tags"] == ["new"] && notes["rows"]?[0]?["place"]?["shelf"] == 1)
        #expect(notes["shown"]?.arrayValue?.map { $0["tags"] } == [["new"], ["new"]])
        #expect(try unread(next).isEmpty)
        try next.request("notes.add", ["rice"])
        try next.request("notes.store")
        harness.restart()
        #expect(try harness.connect().read("notes")["rows"]?.arrayValue?.count == 3)
    }

    @Test func `is read under its former names, which are erased with the next save`() throws {
        let next = try restart(with: Renamed.Notes.self)
        let notes = try next.read("notes")
        #expect(notes["nick"] == "Anna" && notes["sheet"] == 7)
        #expect(notes["rows"]?.arrayValue?.map { $0["title"] } == ["milk", "tea"])
        #expect(try unread(next).isEmpty)
        #expect(lasting("name") == "Anna")

        try next.request("notes.nick", ["Ben"])
        try next.request("notes.sheet", [8])
        try next.request("notes.store")
        #expect(lasting("name") == nil && lasting("nick") == "Ben")
        harness.restart()
        let later = try harness.connect().read("notes")
        #expect(later["nick"] == "Ben" && later["sheet"] == 8)
    }

    @Test func `shows one value of a former name in all sessions`() throws {
        let next = try restart(with: Renamed.Notes.self), sofa = try harness.connect(to: "sofa")
        try sofa.bind("notes")
        #expect(sofa.picture(of: "notes")?["nick"] == "Anna")
        try next.request("notes.nick", ["Ben"])
        #expect(sofa.picture(of: "notes")?["nick"] == "Ben")
    }

    @Test func `is put aside if its type is another one, and comes back with the type`() throws {
        let next = try restart(with: Retyped.Notes.self)
        #expect(try next.read("notes")["name"] == [] && next.read("notes")["page"] == "one")
        #expect(Set(try unread(next)) == ["notes.name", "notes.page", "notes.look"])
        let sofa = try harness.connect(to: "sofa")
        _ = try sofa.read("notes")
        try next.request("notes.rename", [["a"]])
        try next.request("notes.page", ["two"])
        try next.request("notes.store")
        #expect(lasting("name") == ["a"])

        harness.restart()
        let again = try harness.connect()
        #expect(try again.read("notes")["page"] == "two")
        #expect(try unread(again).contains("notes.name"))

        let back = try restart(with: First.Notes.self)
        let notes = try back.read("notes")
        #expect(notes["name"] == "Anna" && notes["page"] == 7 && notes["look"] == "wide")
        #expect(Set(try unread(back)) == ["notes.name", "notes.page"])
    }

    @Test func `is not overwritten if eight values are put aside already, which is named`() throws {
        let key = SavedValue.Key(owner: "notes", name: "name")
        for number in 1...8 { _ = harness.host.lasting.putAside(Array("\(number)".utf8), of: key, in: .user(1000)) }
        try desk.request("notes.store")
        let next = try restart(with: Retyped.Notes.self)
        try next.request("notes.rename", [["a"]])
        try next.request("notes.store")
        #expect(try next.read("notes")["name"] == ["a"])
        let values = try next.read("daemon")["unreadValues"]?.arrayValue ?? []
        let problem = "8 values are put aside already, so its changes are not saved"
        #expect(values.contains(["value": "notes.name", "problem": .string(problem)]), "\(values)")
        #expect(try restart(with: First.Notes.self).read("notes")["name"] == "Anna")
    }

    @Test func `has the former names of members in its schema`() {
        var schemas = SchemaDocument()
        let schema = schemas.saved(Renamed.Row.schema)
        #expect(schema["required"] == ["id", "title"] && schema["x-formerly"] == ["title": ["label", "text"]])
    }

    @Test func `stays if a member, a property or a case was removed`() throws {
        let next = try restart(with: Narrower.Notes.self)
        #expect(try next.read("notes")["rows"] == [["id": 1], ["id": 2]])
        #expect(Set(try unread(next)) == ["notes.rows", "notes.drafts", "notes.name", "notes.page", "notes.look"])
        let values = try next.read("daemon")["unreadValues"]?.arrayValue ?? []
        #expect(values.contains(["value": "notes.rows", "problem": "it has more members than the type: 1"]))
        #expect(values.contains(["value": "notes.name", "problem": "no property has this name"]))
        #expect(
            values.contains { $0["value"] == "notes.look" && $0["problem"]?.stringValue?.contains("wide") == false }
        )
        try next.request("notes.add")
        try next.request("notes.store")

        let back = try restart(with: First.Notes.self)
        let notes = try back.read("notes")
        #expect(notes["rows"]?.arrayValue?.map { $0["text"] } == ["milk", "tea"])
        #expect(notes["name"] == "Anna" && notes["page"] == 7 && notes["look"] == "wide")
    }

    @Test func `stays if its class was removed, with its instances`() throws {
        try desk.request("viewModel.open", ["type": "notes", "id": "second"])
        try desk.request("second.page", [9])
        try desk.request("second.store")
        let next = try restart(with: Other.self)
        #expect(Set(try unread(next)) == ["notes", "notes.name", "notes.rows"])
        try next.request("other.step")
        try next.request("other.store")
        let back = try restart(with: First.Notes.self)
        #expect(try back.read("second")["page"] == 9)
        #expect(try back.read("notes")["rows"]?.arrayValue?.count == 2)
    }

    @Test func `leaves its ids to instances of its type`() throws {
        try desk.request("viewModel.open", ["type": "notes"])
        try desk.request("notes-1.page", [9])
        try desk.request("notes-1.store")
        let other = try restart(with: Asking.Notes.self)
        let refused = other.begin("viewModel.open", ["type": "asking", "id": "notes-1"])
        #expect(refused.error?.code == .invalidParams && refused.error?.message.isEmpty == false)
        let next = try restart(with: Strict.Notes.self)
        let opened = try next.request("viewModel.open", ["type": "notes", "arguments": ["shelf": 1]])
        #expect(opened["id"] == "notes-2")
        try next.request("notes-2.page", [1])
        try next.request("notes-2.store")
        let back = try restart(with: First.Notes.self)
        #expect(try back.read("notes-1")["page"] == 9)
    }

    @Test func `is named if it was in a shared model`() throws {
        harness.restart(with: try catalog(Basket.Shop.self))
        let shop = try harness.connect()
        try shop.request("shop.fill", [4])
        try shop.request("shop.store")
        harness.restart(with: try catalog(Emptier.Shop.self))
        let next = try harness.connect()
        _ = try next.read("shop")
        #expect(try unread(next).contains("shared ViewModelKitTests.Emptier.Box.items"))
        try next.request("shop.store")
        let other = try restart(with: Other.self)
        #expect(try unread(other).contains("shared ViewModelKitTests.Emptier.Box.items"))
    }

    @Test func `goes with its instance`() throws {
        try desk.request("viewModel.open", ["type": "notes", "id": "second"])
        try desk.request("second.page", [9])
        try desk.request("second.store")
        let next = try restart(with: Retyped.Notes.self)
        try next.request("second.page", ["two"])
        try next.request("second.store")
        try next.request("viewModel.close", ["id": "second"])
        try next.request("viewModel.open", ["type": "notes", "id": "second"])
        try next.request("second.store")
        let back = try restart(with: First.Notes.self)
        #expect(try back.read("second")["page"] == 0)
    }

    @Test func `changes places if two versions run in turn`() throws {
        for number in 1...5 {
            let next = try restart(with: Retyped.Notes.self)
            #expect(try next.read("notes")["name"] == (number == 1 ? [] : [.string("\(number - 1)")]))
            try next.request("notes.rename", [[.string("\(number)")]])
            try next.request("notes.store")
            let back = try restart(with: First.Notes.self)
            #expect(try back.read("notes")["name"] == (number == 1 ? "Anna" : .string("\(number - 1)")))
            try back.request("notes.name", [.string("\(number)")])
            try back.request("notes.store")
        }
        #expect((1...8).filter { lasting("\u{1}aside \($0) name") != nil }.count == 1)
    }
}

private func catalog<Type: ViewModel & Injectable>(_ type: Type.Type) throws -> ViewModelCatalog {
    var catalog = ViewModelCatalog()
    try catalog.host(type)
    return catalog
}

enum First {
    @Schemable
    struct Row: Identifiable {
        let id: Int
        var text: String
    }

    @Schemable
    enum Look: String { case plain, wide }

    /// The version that saves.
    @ViewModel
    final class Notes {
        @Output(.user) var rows: Rows<First.Row> = []
        @State(.session) private var drafts: [First.Row] = []
        @Rows var shown: [First.Row] { drafts }
        @Field(.user) var name = ""
        @Field(.session) var page = 0
        @Field(.session) var look: First.Look = .plain

        @Input func add(_ text: String) {
            let row = Row(id: rows.count + 1, text: text)
            rows.append(row)
            drafts.append(row)
        }

        @Action func store() {}
    }
}

enum Wider {
    @Schemable
    struct Place {
        var shelf = 1
    }

    @Schemable
    struct Row: Identifiable {
        let id: Int
        var text: String
        var tags: [String] = ["new"]
        var place: Place = Place()
        var note: String?
    }

    /// A version whose rows have more members.
    @ViewModel
    final class Notes {
        @Output(.user) var rows: Rows<Wider.Row> = []
        @State(.session) private var drafts: [Wider.Row] = []
        @Rows var shown: [Wider.Row] { drafts }
        @Field(.user) var name = ""
        @Field(.session) var page = 0
        @Field(.session) var look: First.Look = .plain

        @Input func add(_ text: String) { rows.append(Row(id: rows.count + 1, text: text)) }

        @Action func store() {}
    }
}

enum Renamed {
    @Schemable
    struct Row: Identifiable {
        let id: Int
        @Formerly("label", "text") var title: String
    }

    /// A version with other names.
    @ViewModel
    final class Notes {
        @Output(.user, formerly: "notes", "rows") var items: Rows<Renamed.Row> = []
        @State(.session) private var drafts: [Renamed.Row] = []
        @Rows var shown: [Renamed.Row] { drafts }
        @Field(.user, formerly: "name") var nick = ""
        @Field(.session, formerly: "page") var sheet = 0
        @Field(.session) var look: First.Look = .plain
        @Rows var rows: [Renamed.Row] { items.value }

        @Action func store() {}
    }
}

enum Retyped {
    @Schemable
    enum Look: String { case plain, narrow }

    /// A version whose values have other types.
    @ViewModel
    final class Notes {
        @Output(.user) var rows: Rows<First.Row> = []
        @State(.session) private var drafts: [First.Row] = []
        @Rows var shown: [First.Row] { drafts }
        @Output(.user) private(set) var name: [String] = []
        @Field(.session) var page = "one"
        @Field(.session) var look: Retyped.Look = .plain

        @Input func rename(_ names: [String]) { name = names }

        @Action func store() {}
    }
}

enum Narrower {
    @Schemable
    struct Row: Identifiable {
        let id: Int
    }

    /// A version with less.
    @ViewModel
    final class Notes {
        @Output(.user) var rows: Rows<Narrower.Row> = []
        @State(.session) private var drafts: [Narrower.Row] = []
        @Rows var shown: [Narrower.Row] { drafts }
        @Field(.session) var look: Retyped.Look = .plain

        @Input func add() { rows.append(Row(id: rows.count + 1)) }

        @Action func store() {}
    }
}

enum Strict {
    /// A version that needs arguments.
    @ViewModel
    final class Notes {
        @Schemable
        struct Arguments {
            let shelf: Int
        }
        @Field(.session) var page = 0
        @Output private(set) var shelf = 0

        init(arguments: Arguments) { shelf = arguments.shelf }

        @Action func store() {}
    }
}

enum Asking {
    /// Another ViewModel.
    @ViewModel("asking")
    final class Notes {
        @Field(.session) var page = 0
    }
}

enum Basket {
    /// A model with a value that is saved.
    @SharedModel
    final class Box {
        @State(.session) var items = 0
    }

    /// A shop with a box.
    @ViewModel
    final class Shop {
        private let box: Basket.Box

        @Input func fill(_ items: Int) { box.items = items }

        @Action func store() {}
    }
}

enum Emptier {
    /// A shop whose box saves nothing.
    @ViewModel
    final class Shop {
        private let box: Emptier.Box
        @Output var items: Int { box.count }

        @Action func store() {}
    }

    @SharedModel(formerly: "ViewModelKitTests.Basket.Box")
    final class Box {
        @State var count = 0
    }
}

/// Another ViewModel.
@ViewModel
final class Other {
    @Output(.session) private(set) var steps = 0

    @Input func step() { steps += 1 }

    @Action func store() {}
}
