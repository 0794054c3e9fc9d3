import Testing
import ViewModelHost
import ViewModelKit
import ViewModelProtocol
import ViewModelTesting

/// Starts another version of the code, and returns a client.
private func restart<Type: ViewModel & Injectable>(
    _ harness: SessionHarness,
    with type: Type.Type
) throws -> TestClient {
    harness.restart(with: try catalog(type))
    return try harness.connect()
}

private func catalog<Type: ViewModel & Injectable>(_ type: Type.Type) throws -> ViewModelCatalog {
    var catalog = ViewModelCatalog()
    try catalog.host(type)
    return catalog
}

/// Returns what the daemon reports, without reasons.
private func unread(_ client: TestClient) throws -> [String] {
    let values = try client.read("daemon")["unreadValues"]?.arrayValue ?? []
    return values.compactMap { $0["value"]?.stringValue }
}

@Suite struct `A class with another name` {
    private let harness: SessionHarness

    init() throws {
        harness = SessionHarness(try catalog(Jar.self), savesSessions: true)
        let desk = try harness.connect()
        try desk.request("jar.fill", [3])
        try desk.request("viewModel.open", ["type": "jar", "id": "second"])
        try desk.request("second.fill", [5])
        try desk.request("second.store")
    }

    @Test func `has the values and the instances of the former one`() throws {
        let next = try restart(harness, with: Bowl.self)
        #expect(try unread(next).isEmpty)
        #expect(try next.read("bowl")["level"] == 3 && next.read("bowl")["total"] == 8)
        #expect(try next.read("second")["level"] == 5)
        try next.request("bowl.fill", [4])
        try next.request("bowl.store")
        harness.restart()
        let later = try harness.connect()
        #expect(try later.read("bowl")["level"] == 4 && later.read("bowl")["total"] == 12)
        #expect(try later.read("second")["level"] == 5)
    }

    @Test func `saves them under the new name before anything is written`() throws {
        _ = try restart(harness, with: Bowl.self)
        harness.advance(by: .seconds(2))
        harness.restart()
        #expect(try harness.connect().read("bowl")["level"] == 3)
        #expect(try unread(restart(harness, with: Jar.self)).contains("bowl"))
    }

    @Test func `has the values of the latest of several former ones`() throws {
        try restart(harness, with: Vase.self).request("vase.fill", [9])
        harness.advance(by: .seconds(2))
        for _ in 1...5 {
            let next = try restart(harness, with: Bowl.self)
            #expect(try next.read("bowl")["level"] == 9)
        }
    }

    @Test func `puts aside what the former one has saved since`() throws {
        try restart(harness, with: Bowl.self).request("bowl.store")
        let old = try restart(harness, with: Jar.self)
        try old.request("jar.fill", [100])
        try old.request("jar.store")
        let next = try restart(harness, with: Bowl.self)
        #expect(try next.read("bowl")["level"] == 3 && next.read("bowl")["total"] == 8)
        #expect(try unread(next).contains("bowl.level"))
    }
}

@Suite struct `A migration` {
    private let harness: SessionHarness

    init() throws {
        harness = SessionHarness(try catalog(Amp.First.self), savesSessions: true)
        let desk = try harness.connect()
        try desk.request("amp.volume", [70])
        try desk.request("amp.mode", ["loud"])
        try desk.request("amp.store")
    }

    @Test func `runs once for the values that an earlier version has saved`() throws {
        let next = try restart(harness, with: Amp.Second.self)
        #expect(try next.read("amp")["volume"] == 0.7)
        #expect(try unread(next).isEmpty)
        try next.request("amp.volume", [50])
        try next.request("amp.store")
        harness.restart()
        #expect(try harness.connect().read("amp")["volume"] == 50)
        #expect(harness.incidents.isEmpty)
    }

    @Test func `does not run for values of the present version`() throws {
        harness.restart(with: try catalog(Amp.Second.self))
        let other = try harness.connect(to: "other")
        try other.request("amp.level", [9])
        try other.request("amp.store")
        harness.restart()
        #expect(try harness.connect(to: "other").read("amp")["level"] == 9)
    }

    @Test func `reads what was put aside`() throws {
        let between = try restart(harness, with: Amp.Between.self)
        try between.request("amp.volume", ["high"])
        try between.request("amp.store")
        let next = try restart(harness, with: Amp.Second.self)
        #expect(try next.read("amp")["volume"] == 0.7)
        #expect(try unread(next).isEmpty)
    }

    @Test func `that fails lets the class start fresh, and is named`() throws {
        let next = try restart(harness, with: Amp.Broken.self)
        #expect(try next.read("amp")["volume"] == 0)
        #expect(try unread(next) == ["amp", "amp.mode"])
        #expect("\(harness.incidents)".contains("volume: expected a string"), "\(harness.incidents)")
        #expect(!"\(harness.incidents)".contains("70"))
        #expect(try restart(harness, with: Amp.Second.self).read("amp")["volume"] == 0.7)
    }

    @Test func `that fails at first does not change what was written since`() throws {
        let next = try restart(harness, with: Amp.Broken.self)
        try next.request("amp.volume", [1])
        try next.request("amp.store")
        let fixed = try restart(harness, with: Amp.Fixed.self)
        #expect(try fixed.read("amp")["volume"] == 1)
        #expect(try unread(fixed).contains("amp.volume"))
        harness.restart()
        #expect(try harness.connect().read("amp")["volume"] == 1)
    }

    @Test func `waits while an earlier version runs, which reads nothing of the later one`() throws {
        let next = try restart(harness, with: Amp.Second.self)
        try next.request("amp.volume", [0.5])
        try next.request("amp.level", [9])
        try next.request("amp.store")
        for number in 1...3 {
            let back = try restart(harness, with: Amp.First.self)
            #expect(try back.read("amp")["volume"] == 0)
            #expect(try unread(back) == ["amp"])
            try back.request("amp.volume", [.integer(number * 10)])
            try back.request("amp.store")
            let again = try restart(harness, with: Amp.Second.self)
            #expect(try again.read("amp")["volume"] == .number("0.\(number)"))
            #expect(try again.read("amp")["level"] == 9)
            try again.request("amp.store")
        }
        let back = try restart(harness, with: Amp.First.self)
        _ = try back.read("amp")
        #expect(try restart(harness, with: Amp.Second.self).read("amp")["volume"] == 0.3)
    }

    @Test func `runs for the values of each key`() throws {
        harness.restart(with: try catalog(Rooms.self))
        let desk = try harness.connect()
        try desk.request("rooms.show", ["kitchen"])
        try desk.request("rooms.draft", ["soup"])
        try desk.request("rooms.store")
        let next = try restart(harness, with: LoudRooms.self)
        try next.request("rooms.show", ["kitchen"])
        #expect(try next.read("rooms")["draft"] == "soup!")
        #expect(try unread(next).filter { $0 == "rooms.draft" }.isEmpty)
    }
}

@Suite struct `A key below a saved value` {
    private let harness: SessionHarness

    init() throws {
        harness = SessionHarness(try catalog(Rooms.self), savesSessions: true)
    }

    @Test func `gives each room a draft of its own`() throws {
        let desk = try harness.connect()
        try desk.request("rooms.draft", ["to all"])
        try desk.request("rooms.show", ["kitchen"])
        #expect(try desk.read("rooms")["draft"] == "" && desk.read("rooms")["seen"] == 0)
        try desk.request("rooms.draft", ["soup"])
        try desk.request("rooms.seen", [4])
        try desk.request("rooms.note", [1])
        try desk.request("rooms.show", ["hall"])
        #expect(try desk.read("rooms")["draft"] == "to all" && desk.read("rooms")["notes"] == [])
        try desk.request("rooms.show", ["kitchen"])
        #expect(try desk.read("rooms")["draft"] == "soup" && desk.read("rooms")["seen"] == 4)
        #expect(try desk.read("rooms")["notes"] == [["id": 1]])
        try desk.request("rooms.store")

        harness.restart()
        let later = try harness.connect()
        #expect(try later.read("rooms")["draft"] == "to all" && later.read("rooms")["seen"] == 0)
        try later.request("rooms.show", ["kitchen"])
        #expect(try later.read("rooms")["draft"] == "soup" && later.read("rooms")["seen"] == 4)
        #expect(try unread(later).isEmpty)
    }

    @Test func `is the same in all sessions of the user`() throws {
        let desk = try harness.connect(), sofa = try harness.connect(to: "sofa")
        try sofa.bind("rooms")
        try desk.request("rooms.draft", ["to all"])
        #expect(sofa.picture(of: "rooms")?["draft"] == "to all")
        try desk.request("rooms.show", ["kitchen"])
        try desk.request("rooms.draft", ["soup"])
        #expect(sofa.picture(of: "rooms")?["draft"] == "to all")
        try sofa.request("rooms.show", ["kitchen"])
        #expect(sofa.picture(of: "rooms")?["draft"] == "soup")
    }

    @Test func `leaves nothing behind for an initial value`() throws {
        let desk = try harness.connect()
        for number in 1...20 {
            try desk.request("rooms.show", [.string("\(number)")])
            try desk.request("rooms.draft", ["a"])
            try desk.request("rooms.draft", [""])
        }
        try desk.request("rooms.show", ["hall"])
        let kept = (1...20).filter { number in
            let key = SavedValue.Key(owner: "rooms", name: "draft\u{1}\(number)")
            return harness.host.lasting.value(key, of: .user(1000)) != nil
        }
        #expect(kept.isEmpty)
    }

    @Test func `reaches the store as printable characters, and a long one as its digest`() throws {
        let desk = try harness.connect()
        let rooms = ["a\u{0}b", "a\u{0}", "\u{e9}", "e\u{301}", String(repeating: "x", count: 3_000), "a b%"]
        for (number, room) in rooms.enumerated() {
            try desk.request("rooms.show", [.string(room)])
            try desk.request("rooms.draft", [.string("\(number)")])
        }
        try desk.request("rooms.store")
        harness.restart()
        let later = try harness.connect()
        for (number, room) in rooms.enumerated() {
            try later.request("rooms.show", [.string(room)])
            #expect(try later.read("rooms")["draft"] == .string("\(number)"))
            let key = RestorableKey(persistence: .user, owner: "rooms", name: "draft").below(room)
            #expect(key.name.utf8.count < 600 && key.name.dropFirst(6).utf8.allSatisfy { (0x20...0x7e).contains($0) })
            #expect(harness.host.lasting.value(SavedValue.Key(owner: "rooms", name: key.name), of: .user(1000)) != nil)
        }
    }

    @Test func `shows in all windows that a draft was sent`() throws {
        let desk = try harness.connect(), sofa = try harness.connect(to: "sofa")
        try desk.request("rooms.show", ["kitchen"])
        for text in ["soup", "tea", "bread"] {
            try desk.request("rooms.draft", [.string(text)])
            if text == "soup" {
                try sofa.bind("rooms")
                try sofa.request("rooms.show", ["kitchen"])
            }
            #expect(sofa.picture(of: "rooms")?["draft"] == .string(text))
            try desk.request("rooms.send", ["hall"])
            #expect(sofa.picture(of: "rooms")?["draft"] == "")
            try desk.request("rooms.store")
            try desk.request("rooms.show", ["kitchen"])
            #expect(try desk.read("rooms")["draft"] == "")
        }
    }

    @Test func `stays with a value that gets another name`() throws {
        let desk = try harness.connect()
        try desk.request("rooms.show", ["kitchen"])
        try desk.request("rooms.draft", ["soup"])
        try desk.request("rooms.seen", [4])
        try desk.request("rooms.store")
        let next = try restart(harness, with: RenamedRooms.self)
        #expect(try unread(next).isEmpty)
        try next.request("rooms.show", ["kitchen"])
        #expect(try next.read("rooms")["text"] == "soup" && next.read("rooms")["seen"] == 4)
    }

    @Test func `is not that of a value that had none, which is named`() throws {
        let desk = try restart(harness, with: OneRoom.self)
        try desk.request("rooms.draft", ["old"])
        try desk.request("rooms.store")
        let next = try restart(harness, with: Rooms.self)
        #expect(try next.read("rooms")["draft"] == "" && unread(next) == ["rooms.draft"])
        try next.request("rooms.store")
        #expect(try restart(harness, with: OneRoom.self).read("rooms")["draft"] == "old")
    }

    @Test func `of a value that is not saved ends the session`() throws {
        harness.restart(with: try catalog(Unsaved.self))
        let opened = try harness.connect().begin("viewModel.open", ["type": "unsaved", "id": "unsaved"])
        #expect(opened.error?.code == .internalError)
        #expect("\(harness.incidents)".contains("has no key, because it is not saved"), "\(harness.incidents)")
    }
}

@SharedModel
private final class Barrel {
    @State(.user) var total = 0
}

@SharedModel(formerly: "Barrel")
private final class Cask {
    @State(.user) var total = 0
}

/// A jar.
@ViewModel
private final class Jar {
    @Output(.session) private(set) var level = 0
    @Output var total: Int { barrel.total }
    private let barrel: Barrel

    @Input func fill(_ level: Int) {
        self.level = level
        barrel.total += level
    }

    @Action func store() {}
}

/// The jar, with another name before.
@ViewModel
private final class Vase {
    @Output(.session) private(set) var level = 0

    @Input func fill(_ level: Int) { self.level = level }
}

/// The jar, with another name.
@ViewModel(formerly: "vase", "jar")
private final class Bowl {
    @Output(.session) private(set) var level = 0
    @Output var total: Int { cask.total }
    private let cask: Cask

    @Input func fill(_ level: Int) {
        self.level = level
        cask.total += level
    }

    @Action func store() {}
}

enum Amp {
    /// The first version.
    @ViewModel("amp")
    final class First {
        @Field(.user) var volume = 0
        @Field(.session) var mode = ""

        @Action func store() {}
    }

    /// A version that cannot read the volume.
    @ViewModel("amp")
    final class Between {
        @Field(.user) var volume = ""
        @Field(.session) var mode = ""

        @Action func store() {}
    }

    /// A version with a volume from 0 to 1, a level and no mode.
    @ViewModel("amp")
    final class Second {
        @Field(.user) var volume = 1.0
        @Field(.session) var level = 1

        static var migrations: [SavedMigration] {
            [
                SavedMigration { saved in
                    if let percent = try saved.value("volume", as: Int.self) {
                        try saved.set("volume", to: Double(percent) / 100)
                    }
                },
                SavedMigration { $0.remove("mode") },
                SavedMigration { saved in
                    if let level = try saved.value("level", as: Int.self) { try saved.set("level", to: level + 100) }
                },
            ]
        }

        @Action func store() {}
    }

    /// A version whose migration expects another type.
    @ViewModel("amp")
    final class Broken {
        @Field(.user) var volume = 0

        static var migrations: [SavedMigration] {
            [SavedMigration { saved in _ = try saved.value("volume", as: String.self) }]
        }

        @Action func store() {}
    }

    /// The version with a migration that does not fail.
    @ViewModel("amp")
    final class Fixed {
        @Field(.user) var volume = 0.0

        static var migrations: [SavedMigration] {
            [
                SavedMigration { saved in
                    if let percent = try saved.value("volume", as: Int.self) {
                        try saved.set("volume", to: Double(percent) / 100)
                    }
                }
            ]
        }

        @Action func store() {}
    }
}

/// A room at a time.
@ViewModel
private final class Rooms {
    @Schemable
    struct Note: Identifiable {
        let id: Int
    }

    @Field(.user) var draft = ""
    @Field(.session) var seen = 0
    @Output(.session) var notes: Rows<Note> = []

    init() { show("hall") }

    @Input func show(_ room: String) {
        $draft.keep(for: room)
        $seen.keep(for: room)
        $notes.keep(for: room)
    }

    @Input func note(_ id: Int) { notes.append(Note(id: id)) }

    @Input func send(_ room: String) {
        draft = ""
        show(room)
    }

    @Action func store() {}
}

/// The rooms with another name of the draft.
@ViewModel("rooms")
private final class RenamedRooms {
    @Field(.user, formerly: "draft") var text = ""
    @Field(.session) var seen = 0
    @State(.session) private var notes = ""

    @Input func show(_ room: String) {
        $text.keep(for: room)
        $seen.keep(for: room)
    }
}

/// A room with a draft that has no key.
@ViewModel("rooms")
private final class OneRoom {
    @Field(.user) var draft = ""

    @Action func store() {}
}

/// The rooms with a migration of the draft.
@ViewModel("rooms")
private final class LoudRooms {
    @Field(.user) var draft = ""
    @Field(.session) var seen = 0

    static var migrations: [SavedMigration] {
        [
            SavedMigration { saved in
                if let draft = try saved.value("draft", as: String.self) { try saved.set("draft", to: draft + "!") }
            }
        ]
    }

    @Input func show(_ room: String) {
        $draft.keep(for: room)
        $seen.keep(for: room)
    }
}

/// A value with a key that is not saved.
@ViewModel
private final class Unsaved {
    @Field var draft = ""

    init() { $draft.keep(for: 1) }
}
