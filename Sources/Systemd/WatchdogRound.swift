/// Which probes have answered since the last sign of life; a value without a clock.
struct WatchdogRound {
    /// What a look at the round comes to.
    struct Outcome {
        /// Whether all have answered, so that there is a sign of life to give.
        var isAlive = true
        /// The probes to ask now.
        var asked: [Int] = []
        /// The probes that are newly found not to answer, each with the reason.
        var lost: [(probe: Int, reason: String)] = []
        /// The probes that answer again.
        var found: [Int] = []
    }

    private enum State {
        case unasked
        case asked
        case answered(WatchdogProbe.Answer)
    }

    private var states: [State]
    private var isLost: [Bool]

    init(probes: Int) {
        states = Array(repeating: .unasked, count: probes)
        isLost = Array(repeating: false, count: probes)
    }

    /// Takes an answer in.
    mutating func answer(_ answer: WatchdogProbe.Answer, of probe: Int) {
        states[probe] = .answered(answer)
    }

    /// Looks at what has been answered since the look before.
    ///
    /// One that is silent is not asked a second time, one that was stuck is, and those that answered rest until all have.
    mutating func check() -> Outcome {
        var outcome = Outcome()
        for (probe, state) in states.enumerated() {
            switch state {
            case .unasked:
                outcome.isAlive = false
                outcome.asked.append(probe)
            case .asked:
                outcome.isAlive = false
                lose(probe, "no answer", &outcome)
            case .answered(.stuck(let reason)):
                outcome.isAlive = false
                outcome.asked.append(probe)
                lose(probe, reason, &outcome)
            case .answered(.alive):
                if isLost[probe] { outcome.found.append(probe) }
                isLost[probe] = false
            }
        }
        if outcome.isAlive { outcome.asked = Array(states.indices) }
        for probe in outcome.asked { states[probe] = .asked }
        return outcome
    }

    private mutating func lose(_ probe: Int, _ reason: String, _ outcome: inout Outcome) {
        if !isLost[probe] { outcome.lost.append((probe, reason)) }
        isLost[probe] = true
    }
}
