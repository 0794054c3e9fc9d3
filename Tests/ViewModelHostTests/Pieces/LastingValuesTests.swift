import Testing

@testable import ViewModelHost

@Suite struct `Lasting values in memory` {
    private let values = LastingValues()
    private let area = ValueArea.user(1)
    private let key = SavedValue.Key(owner: "settings", name: "theme")
    private let text = [UInt8](repeating: 0x31, count: 10_000)

    @Test func `of a user who has gone are forgotten, with the bytes that were counted`() {
        values.load([key: text], of: area)
        let counted = values.value(key, of: area)?.counted ?? 0
        #expect(counted >= text.count)
        #expect(values.forget(area) == counted)
        #expect(!values.isLoaded(area))
        #expect(values.value(key, of: area) == nil)
        #expect(values.forget(area) == 0)
    }

    @Test func `stay until their changes are saved`() {
        values.load([:], of: area)
        let counted = values.set(text, key, of: area).counted
        #expect(values.forget(area) == nil)
        let changes = values.takeChanges(of: area)
        #expect(changes.map(\.text) == [text])
        #expect(values.forget(area) == nil)
        values.saved(changes, [:], of: area)
        #expect(values.forget(area) == counted)
    }
}
