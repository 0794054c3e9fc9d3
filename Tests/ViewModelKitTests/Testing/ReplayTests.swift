import Foundation
import TestSupport
import Testing
import ViewModelHost
import ViewModelKit
import ViewModelTesting

@testable import Scenarios

@Suite struct `A replay in a test` {
    private let till = TestTill()
    private let folder: TemporaryDirectory

    init() throws {
        folder = try TemporaryDirectory()
    }

    /// Returns a session with kiosks that have a fault.
    private func session(_ fault: Kiosk.Fault? = nil) throws -> SessionHarness {
        var catalog = ViewModelCatalog()
        catalog.provide(till as any Till)
        try catalog.host(Kiosk.self) { [till] context in Kiosk(clock: context.clock, till: till, fault: fault) }
        try catalog.host(Board.self)
        return SessionHarness(catalog)
    }

    /// Records two clients that buy something, and wait for seven seconds at the end.
    private func recorded(_ end: (Recording, Int) -> Void = { _, _ in }) throws -> String {
        let session = try session()
        session.date = try Date("2026-11-24T08:00:00Z", strategy: .iso8601)
        let recording = try Recording(session)
        let (desk, phone) = (recording.connect(), recording.connect())
        for client in [desk, phone] {
            recording.call("session.attach", ["session": "town"], on: client)
            recording.call("viewModel.bind", ["id": "kiosk"], on: client)
        }
        recording.call("kiosk.put", ["tea"], on: desk)
        session.advance(by: .milliseconds(700))
        recording.call("kiosk.put", ["cake"], on: phone)
        recording.call("kiosk.pay", on: phone)
        for price in [250, 400] {
            session.advance(by: .seconds(1))
            till.effect.complete(with: price)
            session.runUntilIdle()
        }
        end(recording, desk)
        session.advance(by: .seconds(7))
        recording.close(desk)
        recording.close(phone)
        return recording.text
    }

    /// Replays a transcript and returns the message of the failure, or nil if all is equal.
    private func failure(
        _ text: String,
        in session: SessionHarness,
        ignoring members: Set<String> = [],
        secrets: [String: String] = [:],
        prices: [Int] = [250, 400]
    ) throws -> String? {
        let file = try folder.file(text)
        var prices = prices[...]
        do {
            try expectReplay(of: file, in: session, ignoring: members, secrets: secrets) {
                guard till.effect.waiting.first != nil, let price = prices.popFirst() else { return }
                till.effect.complete(with: price)
            }
            return nil
        } catch let error as HarnessError {
            return error.description.replacing(file, with: "FILE")
        }
    }

    @Test func `is equal where nothing has changed, with the recorded times and date`() throws {
        let text = try recorded()
        #expect(text.contains(#""opened":"2026-11-24T08:00:00Z""#), "\(text)")
        #expect(text.contains(#""isLit":false"#) && text.contains(#""age":1"#), "\(text)")
        let session = try session()
        session.advance(by: .seconds(1000))
        #expect(try failure(text, in: session) == nil)
        // The kiosk of the first replay is not the one of the second.
        #expect(try failure(text, in: session) == nil)
        let list = try session.connectAnonymously().request("session.list")
        let names = list["sessions"]?.arrayValue?.compactMap { $0["session"]?.stringValue }
        #expect(names?.contains { $0.hasPrefix("replay") } == false)
    }

    @Test func `shows the line, the call and both values of the first difference`() throws {
        let text = try recorded()
        let lines = text.split(separator: "\n")
        let call = try #require(lines.firstIndex { $0.contains("kiosk.put") && $0.contains("cake") })
        let reply = try #require(lines[call...].firstIndex { $0.contains(" 2 <") && $0.contains(#""result""#) })
        let message = try #require(try failure(text, in: session(.forgets)))
        #expect(message.hasPrefix("FILE, line \(reply + 1): kiosk.put [\"cake\"] on connection 2\n"), "\(message)")
        #expect(message.contains("  kiosk.basket.0\n- \"tea\"\n+ \"cake\"\n"), "\(message)")
    }

    @Test func `shows a reply that differs, and one that never comes`() throws {
        let text = try recorded()
        let dear = try #require(try failure(text, in: session(), prices: [250, 500]))
        #expect(dear.contains("kiosk.pay on connection 2\n  result\n- 650\n+ 750\n"), "\(dear)")
        let silent = try #require(try failure(text, in: session(), prices: [250]))
        #expect(silent.contains("kiosk.pay on connection 2\n  the reply\n- {"), "\(silent)")
        #expect(silent.contains("+ (nothing)"))
    }

    @Test(arguments: [Kiosk.Fault.flickers, .shinesOn])
    private func `notices a frame after the last reply that was not recorded, and misses one that was`(
        fault: Kiosk.Fault
    ) throws {
        let message = try #require(try failure(recorded(), in: session(fault)))
        #expect(message.hasSuffix("  kiosk.isLit\n- false\n+ true\n"), "\(message)")
    }

    @Test func `does not compare what is sampled or left out`() throws {
        let text = try recorded()
        let young = text.replacing(#""age":1"#, with: #""age":5"#)
        #expect(young != text)
        #expect(try failure(young, in: session()) == nil)
        let other = text.replacing(#""opened":"2026-11-24T08:00:00Z""#, with: #""opened":"never""#)
        #expect(try failure(other, in: session())?.contains("  kiosk.opened\n- \"never\"\n") == true)
        #expect(try failure(other, in: session(), ignoring: ["kiosk.opened"]) == nil)
        let members: Set = ["kiosk.basket", "kiosk.total", "kiosk.pay"]
        #expect(try failure(text, in: session(.forgets), ignoring: members) == nil)
    }

    @Test func `tells what explains it: unexpected errors, and a session that is older than the transcript`() throws {
        let text = try recorded()
        let old = text.replacing(#""created":true"#, with: #""created":false"#)
        #expect(old != text)
        #expect(try failure(old, in: session()) == nil)
        let message = try #require(try failure(old, in: session(.breaks)))
        #expect(message.contains("Broken"), "\(message)")
        #expect(message.contains("the session town is older than the transcript; its state"), "\(message)")
    }

    @Test func `sends the given secrets and shows none`() throws {
        let text = try recorded { recording, desk in
            recording.call("kiosk.unlock", ["open sesame"], on: desk)
            recording.call("kiosk.unlock", ["open barley"], on: desk)
        }
        #expect(!text.contains("sesame") && !text.contains("barley"), "\(text)")
        let pseudonyms = text.matches(of: /"(secret-[0-9a-f]{16})"/).map { String($0.1) }
        #expect(Set(pseudonyms).count == 2)
        let refused = try #require(try failure(text, in: session()))
        #expect(refused.contains("has a pseudonym in place of a secret"), "\(refused)")
        let secrets = [pseudonyms[0]: "open sesame"]
        #expect(try failure(text, in: session(), secrets: secrets) == nil)
    }

    @Test func `sends batches, and compares each of their replies`() throws {
        let recording = try Recording(session())
        let client = recording.connect()
        recording.send(
            #"[{"jsonrpc":"2.0","id":"a","method":"kiosk.put","params":["tea"]},"#
                + #"{"jsonrpc":"2.0","method":"kiosk.put","params":["cake"]},"#
                + #"{"jsonrpc":"2.0","id":"b","method":"kiosk.count"},{"jsonrpc":"2.0","id":"c","method":"kiosk.no"}]"#,
            on: client
        )
        recording.close(client)
        #expect(recording.text.contains(#""id":"b","result":2"#), "\(recording.text)")
        #expect(try failure(recording.text, in: session()) == nil)
        let message = try #require(try failure(recording.text, in: session(.forgets)))
        #expect(message.hasSuffix("kiosk.count on connection 1\n  result\n- 2\n+ 1\n"), "\(message)")
    }

    @Test func `sends the new id of what had another one, and compares where it stands`() throws {
        let session = try session()
        let recording = try Recording(session)
        let client = recording.connect()
        recording.call("viewModel.bind", ["id": "kiosk"], on: client)
        let ticket = try #require(recording.text.firstMatch(of: /"ticket":"([0-9A-F-]{36})"/)).output.1
        recording.call("kiosk.put", ["tea"], on: client)
        recording.call("kiosk.redeem", [.string(String(ticket))], on: client)
        recording.close(client)
        #expect(recording.text.contains(#""isRedeemed":true"#), "\(recording.text)")
        #expect(try failure(recording.text, in: self.session()) == nil)
        let message = try #require(try failure(recording.text, in: self.session(.reissues)))
        #expect(message.contains("kiosk.put [\"tea\"] on connection 1\n  kiosk.ticket\n- \"\(ticket)\""), "\(message)")
    }

    @Test func `leaves out members by their type, for instances of any name`() throws {
        let recording = try Recording(session())
        let client = recording.connect()
        recording.call("viewModel.open", ["type": "kiosk", "id": "corner"], on: client)
        recording.call("viewModel.open", ["type": "board", "id": "wall"], on: client)
        for instance in ["corner", "wall"] { recording.call("viewModel.bind", ["id": .string(instance)], on: client) }
        recording.call("corner.put", ["tea"], on: client)
        recording.call("corner.put", ["cake"], on: client)
        recording.call("corner.count", on: client)
        recording.call("wall.grow", on: client)
        recording.close(client)
        #expect(try failure(recording.text, in: session()) == nil)
        #expect(try failure(recording.text, in: session(.forgets))?.contains("  corner.basket.0\n- \"tea\"") == true)
        let count = try failure(recording.text, in: session(.forgets), ignoring: ["kiosk.basket"])
        #expect(count?.contains("corner.count on connection 1\n  result\n- 2\n+ 1\n") == true)
        #expect(try failure(recording.text, in: session(.forgets), ignoring: ["corner.basket", "kiosk.count"]) == nil)
        // An output of the same name is volatile in another type, and compared in this one.
        let bold = recording.text.replacing(#""age":0,"count"#, with: #""age":7,"count"#)
        #expect(bold != recording.text)
        #expect(try failure(bold, in: session()) == nil)
        let old = recording.text.replacing(#""values":{"age":2}"#, with: #""values":{"age":3}"#)
        #expect(old != recording.text, "\(recording.text)")
        #expect(try failure(old, in: session())?.contains("  wall.age\n- 3\n+ 2\n") == true)
    }

    @Test func `ends where the recorded daemon was stopping`() throws {
        let session = try session()
        let recording = try Recording(session)
        let client = recording.connect()
        recording.call("session.attach", ["session": "town"], on: client)
        recording.call("viewModel.bind", ["id": "kiosk"], on: client)
        recording.call("kiosk.put", ["tea"], on: client)
        recording.call("kiosk.pay", on: client)
        session.advance(by: .seconds(1))
        session.loop.run { session.host.beginStopping() }
        recording.call("kiosk.put", ["cake"], on: client)
        recording.send(#"{"jsonrpc":"2.0","method":"kiosk.put","params":["cake"]}"#, on: client)
        recording.send(#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":4}}"#, on: client)
        recording.close(client)
        #expect(recording.text.contains("-32007") && recording.text.contains("-32800"), "\(recording.text)")
        #expect(try failure(recording.text, in: self.session(), prices: []) == nil)
        // A daemon cancels what runs without having been asked to.
        let text =
            recording.text.split(separator: "\n").filter { !$0.contains("cancelRequest") }
            .joined(separator: "\n") + "\n"
        let busy = text.replacing(/\n[^\n]*changed[^\n]*pay.executing":false[^\n]*/, with: "")
        #expect(try failure(busy, in: self.session(), prices: []) == nil)
    }

    @Test(.timeLimit(.minutes(5))) func `awaits services that work outside of the session`() async throws {
        func session(_ name: String) throws -> SessionHarness {
            var catalog = ViewModelCatalog()
            try catalog.host(Errand.self) { _ in
                Errand { order in await Task.detached { Product(name: "\(name) \(order.number)") }.value }
            }
            return SessionHarness(catalog)
        }
        let recorded = try session("made")
        let recording = try Recording(recorded)
        let client = recording.connect()
        for number in [4, 5] {
            recording.call("errand.go", ["number": .integer(number)], on: client)
            try await recorded.wait { recording.text.contains("made \(number)") }
        }
        recording.close(client)
        let file = try folder.file(recording.text)
        try await expectReplay(of: file, in: session("made"), awaitingAtMost: .seconds(120))
        let error = await #expect(throws: HarnessError.self) {
            try await expectReplay(of: file, in: session("bought"), awaitingAtMost: .seconds(120))
        }
        let message = error?.description ?? ""
        #expect(message.hasSuffix("  result.name\n- \"made 4\"\n+ \"bought 4\"\n"), "\(message)")
    }

    @Test func `fails when nothing comes from outside of the session in time`() async throws {
        let file = try folder.file(recorded())
        let error = await #expect(throws: HarnessError.self) {
            try await expectReplay(of: file, in: session(), awaitingAtMost: .milliseconds(1))
        }
        #expect(error?.description.contains("kiosk.pay on connection 2\n  the reply\n- {") == true)
    }

    @Test func `fails for a file that is no transcript, has nothing to compare or is missing`() throws {
        #expect(try failure("hello\n", in: session()) == "FILE, line 1: this is no transcript of version 1")
        let empty = try Recording(session()).text
        #expect(try failure(empty, in: session()) == "FILE has no reply and no picture to compare")
        #expect(throws: CocoaError.self) { try expectReplay(of: "nowhere.transcript", in: session()) }
    }

    @Test func `fails with the error of the answers`() throws {
        struct Closed: Error {}
        let file = try folder.file(recorded())
        #expect(throws: Closed.self) { try expectReplay(of: file, in: session()) { throw Closed() } }
    }
}

extension TemporaryDirectory {
    /// Writes a transcript and returns its path.
    fileprivate func file(_ text: String) throws -> String {
        let name = "\(UUID()).transcript"
        try write(Array(text.utf8), to: name)
        return "\(path)/\(name)"
    }
}

private protocol Till: Sendable {
    func price(of article: String) async throws -> Int
}

private struct TestTill: Till {
    let effect = Effect<String, Int>()
    func price(of article: String) async throws -> Int { try await effect(article) }
}

/// A kiosk.
@ViewModel
private final class Kiosk {
    /// What a new version of the kiosk does wrong.
    enum Fault: Sendable {
        case forgets, flickers, shinesOn, breaks, reissues
    }

    struct Broken: Error {}

    @Output private(set) var basket: [String] = []
    @Output private(set) var total = 0
    /// Whether there is light, which goes out by itself.
    @Output private(set) var isLit = false
    @Output private(set) var isUnlocked = false
    /// The temperature, which is never the same.
    @Volatile @Output private(set) var temperature: Double = Double.random(in: 0...30)
    @Output private(set) var ticket: String = UUID().uuidString
    @Output private(set) var isRedeemed = false
    @Output private(set) var opened = ""
    @Output(every: .seconds(1), while: \Kiosk.isLit) var age: Int { Int((clock.now - start) / .seconds(1)) }

    private var start = Duration.zero
    private var timer: SessionTimer?
    private let clock: SessionClock
    private let till: any Till
    private let fault: Fault?

    init(clock: SessionClock, till: any Till, fault: Fault?) {
        self.clock = clock
        self.till = till
        self.fault = fault
        start = clock.now
        opened = clock.date.formatted(.iso8601)
    }

    @Input func put(_ article: String) throws {
        if fault == .breaks { throw Broken() }
        if fault == .forgets { basket = [] }
        if fault == .reissues { ticket = UUID().uuidString }
        basket.append(article)
        isLit = true
        guard fault != .shinesOn else { return }
        timer = clock.timer(after: .seconds(4)) { [weak self] in self?.darken() }
    }

    private func darken() {
        isLit = false
        guard fault == .flickers else { return }
        timer = clock.timer(after: .seconds(1)) { [weak self] in self?.isLit = true }
    }

    @Input func redeem(_ ticket: String) {
        isRedeemed = ticket == self.ticket
    }

    @Action func count() -> Int { basket.count }

    @Input func unlock(_ password: Password) {
        isUnlocked = password.revealed == "open sesame"
    }

    @Action func pay() async throws -> Int {
        for article in basket { total += try await till.price(of: article) }
        return total
    }
}

/// A board with an age that is not volatile.
@ViewModel
private final class Board {
    @Output private(set) var age = 1

    @Input func grow() { age += 1 }
}
