import Testing
import ViewModelHost
import ViewModelKit
import ViewModelProtocol
import ViewModelTesting

@testable import Scenarios

/// What clients see of the values of users is in the tables of scenarios.
@Suite struct `A value of the user` {
    private let harness: SessionHarness

    init() throws {
        var catalog = ViewModelCatalog()
        try catalog.host(Settings.self) { context in Settings(history: context.shared { History() }) }
        harness = SessionHarness(catalog, savesSessions: true)
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
}

/// Shows two models that have values of the same names.
@ViewModel
private final class Clock {
    @Output var radio: [Int] { [radioModel.volume, radioModel.station] }
    @Output var alarm: [Int] { [alarmModel.volume, alarmModel.station] }
    private let radioModel: Radio
    private let alarmModel: Alarm

    init(radio: Radio, alarm: Alarm) {
        radioModel = radio
        alarmModel = alarm
    }

    @Action func set(radio: Int, alarm: Int) {
        (radioModel.volume, radioModel.station) = (radio, radio)
        (alarmModel.volume, alarmModel.station) = (alarm, alarm)
    }
}

/// A number that only an action returns.
@ViewModel
private final class Counter {
    @State(.session) private var touches = 0

    @Input func touch() { touches += 1 }

    @Action func count() -> Int { touches }
}

/// A ViewModel with two children of one type.
@ViewModel
private final class Shop {
    @Child let left: Panel = Panel()
    @Child let right: Panel = Panel()
}

/// A panel with a draft.
@ViewModel
private final class Panel {
    @Field(.session) var draft = ""
}
