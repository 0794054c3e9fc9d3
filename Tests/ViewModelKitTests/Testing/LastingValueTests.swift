import Testing
import ViewModelHost
import ViewModelKit
import ViewModelProtocol
import ViewModelTesting

@Suite struct `A value of the user` {
    private let harness: SessionHarness

    init() throws {
        var catalog = ViewModelCatalog()
        try catalog.host(Settings.self) { context in Settings(history: context.shared { History() }) }
        try catalog.host(OtherSettings.self) { _ in OtherSettings() }
        harness = SessionHarness(catalog, savesSessions: true)
    }

    @Test func `is seen by all sessions of the user at once, each in a step of its own`() throws {
        let desk = try harness.connect(to: "desk"), kitchen = try harness.connect(to: "kitchen")
        let anonymous = harness.connectAnonymously()
        for client in [desk, kitchen, anonymous] { try client.bind("settings") }
        try desk.request("settings.skip", ["60"])
        try kitchen.request("settings.visit", ["news"])
        for client in [desk, kitchen, anonymous] {
            #expect(client.picture(of: "settings")?["skip"] == "60")
            #expect(client.picture(of: "settings")?["seconds"] == 60)
            #expect(client.picture(of: "settings")?["visited"] == [["id": "news"]])
            #expect(client.frames.count == 2)
        }
        // A session that begins later.
        #expect(try harness.connect(to: "attic").read("settings")["skip"] == "60")
        #expect(harness.incidents.isEmpty)
    }

    @Test func `is another one for another user and another type, and for the session`() throws {
        let desk = try harness.connect(to: "desk"), kitchen = try harness.connect(to: "kitchen")
        let stranger = harness.connectAnonymously(uid: 7)
        try desk.request("settings.skip", ["60"])
        try desk.request("settings.note", ["here"])
        #expect(try stranger.read("settings")["skip"] == "30")
        #expect(try kitchen.read("otherSettings")["skip"] == "10")
        #expect(try kitchen.read("settings")["note"] == "")
    }

    @Test func `is shared by the instances of one session`() throws {
        let desk = try harness.connect()
        try desk.request("viewModel.open", ["type": "settings", "id": "second"])
        try desk.bind("second")
        try desk.request("settings.skip", ["60"])
        #expect(desk.picture(of: "second")?["skip"] == "60")
        try desk.request("second.skip", ["90"])
        #expect(try desk.read("settings")["skip"] == "90")
    }

    @Test func `of the daemon is seen by all users`() throws {
        let desk = try harness.connect()
        let stranger = harness.connectAnonymously(uid: 7)
        try stranger.bind("settings")
        try desk.request("settings.motto", ["Onward"])
        #expect(stranger.picture(of: "settings")?["motto"] == "Onward")
    }

    @Test func `is restored after the daemon was killed, for named and anonymous sessions`() throws {
        let desk = try harness.connect()
        try desk.request("settings.skip", ["60"])
        try desk.request("settings.visit", ["news"])
        try harness.connectAnonymously().request("settings.motto", ["Onward"])
        harness.advance(by: .seconds(1))
        harness.restart()
        for client in [try harness.connect(), try harness.connect(to: "kitchen"), harness.connectAnonymously()] {
            let settings = try client.read("settings")
            #expect(settings["skip"] == "60" && settings["motto"] == "Onward")
            #expect(settings["visited"] == [["id": "news"]])
        }
        try harness.connect().request("settings.skip", ["90"])
        harness.restart()
        #expect(try harness.connect().read("settings")["skip"] == "60", "the change was not a second old")
    }

    @Test func `is saved before an action is acknowledged, in an anonymous session too`() throws {
        try harness.connect().request("settings.skip", ["60"])
        try harness.connectAnonymously().request("settings.reset")
        harness.restart()
        #expect(try harness.connect().read("settings")["skip"] == "31")
    }

    @Test func `leaves no frame and no save behind when it is written again as it was`() throws {
        let desk = try harness.connect(), kitchen = try harness.connect(to: "kitchen")
        try kitchen.bind("settings")
        try desk.request("settings.skip", ["30"])
        #expect(kitchen.frames.isEmpty)
        #expect(harness.host.lasting.value(.init(owner: "settings", name: "skip"), of: .user(1000)) == nil)
    }

    @Test func `starts fresh if it does not fit any more`() throws {
        harness.host.lasting.load(
            [
                .init(owner: "settings", name: "skip"): Array("7".utf8),
                .init(owner: "settings", name: "motto"): Array("damaged".utf8),
            ],
            of: .user(1000)
        )
        let desk = try harness.connect()
        #expect(try desk.read("settings")["skip"] == "30")
        try desk.request("settings.skip", ["60"])
        #expect(try harness.connect(to: "kitchen").read("settings")["skip"] == "60")
    }

    @Test func `is not saved while it is too large, and holds no action up`() throws {
        let desk = try harness.connect()
        try desk.request("settings.skip", ["60"])
        try desk.request("settings.fill", [2_000_000])
        try desk.request("settings.reset")
        harness.advance(by: .seconds(5))
        try desk.request("settings.reset")
        harness.restart()
        let next = try harness.connect()
        #expect(try next.read("settings")["skip"] == "30")
        try next.request("settings.fill", [10])
        try next.request("settings.reset")
        harness.restart()
        #expect(try harness.connect().read("settings")["skip"] == "31")
    }

    @Test func `counts its bytes for the user`() throws {
        let desk = try harness.connect()
        let before = harness.loop.heldBytes(of: 1000)
        try desk.request("settings.fill", [5000])
        #expect(harness.loop.heldBytes(of: 1000) == before + 5002)
        try desk.request("settings.fill", [10])
        #expect(harness.loop.heldBytes(of: 1000) == before)
        try desk.request("settings.fill", [5000])
        desk.close()
        harness.advance(by: .seconds(60))
        #expect(harness.loop.heldBytes(of: 1000) == 5002)
    }
}

@Suite struct `A value of the session` {
    @Test func `that no output shows is saved within the save interval`() throws {
        var catalog = ViewModelCatalog()
        try catalog.host(Counter.self) { _ in Counter() }
        let harness = SessionHarness(catalog, savesSessions: true)
        let desk = try harness.connect()
        _ = try desk.read("counter")
        harness.advance(by: .seconds(5))
        try desk.request("counter.touch")
        harness.advance(by: .seconds(1))
        harness.restart()
        #expect(try harness.connect().request("counter.count") == 1)
    }

    @Test(arguments: [true, false])
    func `ends the session if a child has one of the same name`(savesSessions: Bool) throws {
        var catalog = ViewModelCatalog()
        try catalog.host(Shop.self) { _ in Shop() }
        let harness = SessionHarness(catalog, savesSessions: savesSessions)
        let desk = try harness.connect()
        let opened = desk.begin("viewModel.open", ["type": "shop", "id": "shop"])
        #expect(opened.error?.code == .internalError)
        #expect("\(harness.incidents)".contains("two saved values of shop are called draft"), "\(harness.incidents)")
    }
}

@Suite struct `A value of a shared model` {
    private let harness: SessionHarness

    init() throws {
        var catalog = ViewModelCatalog()
        try catalog.host(Clock.self)
        harness = SessionHarness(catalog, savesSessions: true)
    }

    @Test func `is another one than that of the same name in another model`() throws {
        try harness.connect().request("clock.set", ["radio": 9, "alarm": 8])
        harness.restart()
        let clock = try harness.connect().read("clock")
        #expect(clock["radio"] == [9, 9] && clock["alarm"] == [8, 8])
        #expect(harness.incidents.isEmpty)
    }

    @Test func `stays when an instance that has shown it is closed`() throws {
        let desk = try harness.connect()
        try desk.request("viewModel.open", ["type": "clock", "id": "other"])
        try desk.request("other.set", ["radio": 9, "alarm": 8])
        try desk.request("viewModel.close", ["id": "other"])
        try desk.request("viewModel.open", ["type": "clock", "id": "other"])
        #expect(try desk.read("other")["radio"] == [9, 9])
    }

    @Test func `is an event that each instance sends`() throws {
        let desk = try harness.connect()
        try desk.bind("clock")
        try desk.request("viewModel.open", ["type": "clock", "id": "other"])
        try desk.bind("other")
        try desk.request("other.set", ["radio": 9, "alarm": 8])
        for id in ["clock", "other"] {
            let events = desk.frames.filter { $0.instance == id }.flatMap(\.events)
            #expect(events.map(\.value) == [8] && events.map(\.output) == ["rang"], "\(id)")
        }
    }
}

@SharedModel
private final class Radio {
    @State(.session) var volume = 1
    @State(.user) var station = 1
}

@SharedModel
private final class Alarm {
    @State(.session) var volume = 2
    @State(.user) var station = 2
    let rang = Event<Int>()
}

/// Shows two models that have values of the same names.
@ViewModel
private final class Clock {
    /// The volume and the station of the radio.
    @Output var radio: [Int] { [radioModel.volume, radioModel.station] }
    /// The volume and the station of the alarm.
    @Output var alarm: [Int] { [alarmModel.volume, alarmModel.station] }
    /// The alarm has rung.
    @Event var rang: Event<Int> { alarmModel.rang }
    private let radioModel: Radio
    private let alarmModel: Alarm

    init(radio: Radio, alarm: Alarm) {
        radioModel = radio
        alarmModel = alarm
    }

    /// Sets all values, and lets the alarm ring.
    @Action func set(radio: Int, alarm: Int) {
        (radioModel.volume, radioModel.station) = (radio, radio)
        (alarmModel.volume, alarmModel.station) = (alarm, alarm)
        alarmModel.rang.send(alarm)
    }
}

/// A number that only an action returns.
@ViewModel
private final class Counter {
    @State(.session) private var touches = 0

    /// Adds a touch.
    @Input func touch() { touches += 1 }

    /// Returns the number of touches.
    @Action func count() -> Int { touches }
}

/// A ViewModel with two children of one type.
@ViewModel
private final class Shop {
    /// The left panel.
    @Child let left: Panel = Panel()
    /// The right panel.
    @Child let right: Panel = Panel()
}

/// A panel with a draft.
@ViewModel
private final class Panel {
    @Field(.session) var draft = ""
}

/// The settings of a player.
@ViewModel
private final class Settings {
    /// The seconds to skip, as typed.
    @Field(.user) var skip = "30"
    /// The words of the house.
    @Field(.daemon) var motto = ""
    /// A remark for this session.
    @Field(.session) var note = ""
    /// The seconds to skip.
    @Output var seconds: Int { Int(skip) ?? 0 }
    /// What was visited.
    @Rows var visited: [Page] { history.pages.value }
    @State(.user) private var padding = ""

    private let history: History

    init(history: History) {
        self.history = history
    }

    /// Visits a page.
    @Input func visit(_ page: String) { history.pages.append(Page(id: page)) }

    /// Keeps a text of this length.
    @Input func fill(_ length: Int) { padding = String(repeating: "x", count: length) }

    /// Sets a value that nothing else sets.
    @Action func reset() { skip = "31" }
}

/// Settings with a value of the same name.
@ViewModel
private final class OtherSettings {
    @Field(.user) var skip = "10"
}

/// The pages that a user has visited, which the ViewModels of a session share.
private final class History {
    let pages = ListCell<Page>(restoring: "pages", in: .user)
}

@Schemable
private struct Page: Identifiable {
    let id: String
}
