/// The answers of the probes since the last keep-alive message, as a value without a clock.
struct WatchdogRound {
    /// The outcome of a check.
    struct Outcome {
        /// Whether all probes have answered, so that a keep-alive message is due.
        var isAlive = true
        /// The probes to ask now.
        var asked: [Int] = []
        /// The probes that have newly failed to answer, each with the reason.
        var lost: [(probe: Int, reason: String)] = []
        /// The probes that answer again after a failure.
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

    /// Records an answer.
    mutating func answer(_ answer: WatchdogProbe.Answer, of probe: Int) {
        states[probe] = .answered(answer)
    }

    /// Evaluates the answers since the previous check.
    ///
    /// A silent probe is not asked again. A stuck probe is asked again. A probe that has answered is asked again after
    /// all probes have answered.
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
