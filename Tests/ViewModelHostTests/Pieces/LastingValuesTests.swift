import Synchronization
import Testing
import ViewModelKit
import ViewModelTesting

@testable import ViewModelHost

/// A class with a migration.
private final class Settings: SavingValues {
    static var migrations: [SavedMigration] { [SavedMigration("theme") { _ in }] }
}

@Suite struct `Lasting values in memory` {
    private let values = LastingValues()
    private let area = ValueArea.user(1)
    private let key = SavedValue.Key(owner: "settings", name: "theme")
    private let text = [UInt8](repeating: 0x31, count: 10_000)
    private let loop = ManualLoop()

    private func count(on loop: ManualLoop) {
        loop.run { values.count(key, of: 1, on: loop) }
    }

    @Test func `of a user who has gone are forgotten, with the bytes that were counted`() {
        values.load([key: text], of: area)
        count(on: loop)
        #expect(loop.heldBytes(of: 1) == text.count)
        #expect(values.forget(1))
        loop.run()
        #expect(loop.heldBytes(of: 1) == 0)
        #expect(!values.isLoaded(area))
        #expect(values.value(key, of: area) == nil)
        #expect(values.forget(1))
    }

    @Test func `stay until their changes are saved`() {
        values.load([:], of: area)
        _ = values.set(text, key, of: area)
        #expect(!values.forget(1))
        let changes = values.takeChanges(of: area)
        #expect(changes.map(\.text) == [text])
        #expect(!values.forget(1))
        values.saved(changes, [:], of: area)
        #expect(values.forget(1))
    }

    @Test func `are put aside once for each text, and eight times at most`() {
        values.load([key: text], of: area)
        for number in 1...8 {
            for _ in 1...2 { #expect(values.putAside([UInt8(number)], of: key, in: area)) }
        }
        #expect(!values.putAside([9], of: key, in: area))
        #expect(values.others(of: key, formerly: [], of: area).map(\.1) == (1...8).reversed().map { [$0] })
    }

    @Test func `are all put aside although sessions of several threads do it at once`() async {
        values.load([:], of: area)
        for number in 1...200 {
            let key = SavedValue.Key(owner: "settings", name: "\(number)")
            await withTaskGroup { group in
                for text in 1...8 {
                    group.addTask { [values, area] in _ = values.putAside([UInt8(text)], of: key, in: area) }
                }
            }
            #expect(values.others(of: key, formerly: [], of: area).count == 8)
        }
    }

    @Test func `that a session sets are not prepared with those of an earlier version`() {
        let owner = RestorableValues.Owner("settings", of: "settings", Settings.self)
        let (record, aside) = (SavedValue.Key.version(of: owner.type), key.of(1, 0))
        values.load([key: text, record: Array("1".utf8)], of: area)
        let read = Mutex<[[SavedValue.Key: [UInt8]]]>([])
        _ = values.prepare(owner, of: area) { [values, area, key] texts in
            let times = read.withLock { read in
                read.append(texts)
                return read.count
            }
            if times == 2 { _ = values.set([0x33], key, of: area) }
            return [record: Array("1".utf8)]
        }
        _ = values.adopt([aside: text, record: Array("0".utf8)], of: area, isComplete: true)
        let last = read.withLock { $0.last }
        #expect(last == [aside: [0x33], record: Array("0".utf8)])
    }

    @Test func `reach no session before they are prepared, if a new one does that meanwhile`() {
        let owner = RestorableValues.Owner("settings", of: "settings", formerNames: ["options"])
        values.load(nil, of: area)
        _ = values.prepare(owner, of: area) { [values, area, key] _ in
            _ = values.prepare(owner, of: area) { _ in [key: [0x32]] }
            return [key: [0x33]]
        }
        #expect(values.adopt([key: text], of: area, isComplete: true).isEmpty)
        #expect(values.value(key, of: area)?.text == [0x32])
    }

    @Test func `are prepared without the lock, and again if another daemon changes them meanwhile`() {
        let owner = RestorableValues.Owner("settings", of: "settings", formerNames: ["options"])
        values.load([key: text], of: area)
        let read = Mutex<[[UInt8]?]>([])
        let prepared = values.prepare(owner, of: area) { [values, area, key] texts in
            read.withLock { $0.append(texts[key]) }
            _ = values.adopt([key: [0x33]], of: area, isComplete: false)
            return [key: [0x32]]
        }
        let texts = read.withLock { $0 }
        #expect(texts == [text, [0x33]])
        #expect(prepared.map(\.text) == [[0x32]] && values.value(key, of: area)?.text == [0x32])
    }

    @Test func `are those of the session that is ready first if several prepare them`() {
        let owner = RestorableValues.Owner("settings", of: "settings", formerNames: ["options"])
        values.load([key: text], of: area)
        let prepared = values.prepare(owner, of: area) { [values, area, key] _ in
            let first = values.prepare(owner, of: area) { _ in [key: [0x32]] }
            #expect(first.map(\.text) == [[0x32]])
            return [key: [0x33]]
        }
        #expect(prepared.isEmpty && values.value(key, of: area)?.text == [0x32])
    }

    @Test func `leave nothing behind when they are erased`() {
        values.load([key: text], of: area)
        _ = values.set(nil, key, of: area)
        #expect(values.value(key, of: area) == nil)
        let changes = values.takeChanges(of: area)
        #expect(changes.map(\.text) == [nil] && changes.map(\.known) == [text])
        values.saved(changes, [:], of: area)
        #expect(values.firstKeys(of: key.owner, in: area).isEmpty)
        #expect(values.forget(1))
    }

    @Test func `get the form of the present code although they arrive after the session`() {
        let owner = RestorableValues.Owner("settings", of: "settings", formerNames: ["options"])
        values.load(nil, of: area)
        let early = values.prepare(owner, of: area) { [key, text] in $0[key] == text ? [key: [0x32]] : [:] }
        #expect(early.isEmpty)
        let adopted = values.adopt([key: text], of: area, isComplete: true)
        #expect(adopted.map(\.text) == [[0x32]])
        #expect(values.value(key, of: area)?.text == [0x32])
        #expect(values.takeChanges(of: area).map(\.known) == [text])
    }

    @Test func `are erased if another daemon has erased them, and get later revisions`() throws {
        values.load([key: text], of: area)
        let changed = values.adopt([key: [0x32]], of: area, isComplete: false)
        let erased = values.adopt([:], of: area, isComplete: true)
        #expect(erased.map(\.text) == [nil] && values.value(key, of: area) == nil)
        #expect(values.adopt([:], of: area, isComplete: true).isEmpty)
        let revision = values.set(text, key, of: area)
        #expect(try revision > #require(erased.first).revision)
        #expect(try #require(erased.first).revision > #require(changed.first).revision)
        #expect(values.erase(key, at: revision - 1, of: area) == nil)
        let last = try #require(values.erase(key, at: revision, of: area))
        values.saved(values.takeChanges(of: area), [:], of: area)
        #expect(values.set(text, key, of: area) > last)
    }

    @Test func `are counted on one loop, although sessions on two loops write them`() {
        let other = ManualLoop()
        values.load([key: text], of: area)
        count(on: loop)
        _ = values.set(text + text, key, of: area)
        count(on: other)
        loop.run()
        #expect(loop.heldBytes(of: 1) == 0)
        #expect(other.heldBytes(of: 1) == 2 * text.count)
        count(on: loop)
        #expect(loop.heldBytes(of: 1) == 0)
        values.saved(values.takeChanges(of: area), [:], of: area)
        #expect(values.forget(1))
        other.run()
        #expect(other.heldBytes(of: 1) == 0)
    }
}
