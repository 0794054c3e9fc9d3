import Testing
import ViewModelTesting

@testable import ViewModelHost

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
