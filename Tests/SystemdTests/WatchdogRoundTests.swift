import Testing

@testable import Systemd

/// Who has answered, look by look.
@Suite struct WatchdogRoundTests {
    @Test func `there is no sign of life before all have answered`() {
        var round = WatchdogRound(probes: 2)
        let first = round.check()
        #expect(!first.isAlive && first.asked == [0, 1] && first.lost.isEmpty)
        round.answer(of: 0)
        round.answer(of: 1)
        let second = round.check()
        #expect(second.isAlive && second.asked == [0, 1])
        let third = round.check()
        #expect(!third.isAlive, "the answers of before do not count twice")
    }

    @Test func `who is silent is told of once, not asked again, and told of when it is back`() {
        var round = WatchdogRound(probes: 2)
        _ = round.check()
        round.answer(of: 1)
        let late = round.check()
        #expect(!late.isAlive && late.asked.isEmpty && late.lost == [0])
        #expect(round.check().lost.isEmpty)
        round.answer(of: 0)
        let back = round.check()
        #expect(back.isAlive && back.found == [0] && back.asked == [0, 1])
        round.answer(of: 0)
        round.answer(of: 1)
        #expect(round.check().found.isEmpty)
    }
}
