import Testing

@testable import ViewModelHost

@Suite struct `The present users` {
    private let present = PresentUsers()

    @Test func `are forgotten between one and two sweeps after they have left`() {
        #expect(!present.enter(1))
        present.prepared(1)
        for _ in 0..<3 { #expect(present.sweep { _ in true } == 0) }
        present.leave(1)
        #expect(present.sweep { _ in true } == 0)
        #expect(present.sweep { $0 == 1 } == 1)
        #expect(present.count == 0)
        #expect(!present.enter(1))
    }

    @Test func `stay if they come back, or while something else holds them`() {
        present.enter(1)
        present.prepared(1)
        present.leave(1)
        #expect(present.sweep { _ in true } == 0)
        #expect(present.enter(1))
        present.enter(1)
        present.leave(1)
        for _ in 0..<3 { #expect(present.sweep { _ in true } == 0) }
        #expect(present.count == 1)
    }

    @Test func `whose data cannot be removed yet are asked for again, and are prepared anew`() {
        present.enter(1)
        present.prepared(1)
        present.leave(1)
        for _ in 0..<3 { #expect(present.sweep { _ in false } == 0) }
        #expect(present.count == 1)
        #expect(!present.enter(1))
        present.leave(1)
        for _ in 0..<2 { present.sweep { _ in true } }
        #expect(present.count == 0)
    }
}
