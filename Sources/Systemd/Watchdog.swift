public import Logging
public import ServiceLifecycle
import Synchronization

/// A service that sends a keep-alive message to the service manager when all probes have answered since the last one.
///
/// It checks the probes four times per timeout. It logs a probe that has not answered by the next check and sends no
/// keep-alive message until the probe answers. The manager ends the service when its timeout has passed
/// (`WatchdogSec=`). A service without a manager's watchdog should not create one: each check wakes the process.
public final class Watchdog: Service {
    /// The time between two checks.
    let interval: Duration
    private let probes: [WatchdogProbe]
    private let notifier: ServiceNotifier
    private let logger: Logger
    private let round: Mutex<WatchdogRound>

    /// Creates a watchdog.
    ///
    /// - Parameters:
    ///   - timeout: The manager's timeout, ``ServiceEnvironment/watchdogTimeout``.
    ///   - probes: The parts of the service that must answer.
    ///   - notifier: The sender of the keep-alive messages.
    ///   - logger: The log for probes that do not answer.
    public init(timeout: Duration, probes: [WatchdogProbe], notifier: ServiceNotifier, logger: Logger) {
        interval = timeout / 4
        self.probes = probes
        self.notifier = notifier
        self.logger = logger
        round = Mutex(WatchdogRound(probes: probes.count))
    }

    /// Checks the probes until graceful shutdown.
    ///
    /// After that the manager applies `TimeoutStopSec=`.
    public func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                self.check()
                // A cancellation ends the sleep early and then the loop.
                try? await Task.sleep(for: self.interval)
            }
        }
    }

    private func check() {
        let outcome = round.withLock { $0.check() }
        if outcome.isAlive { notifier.watchdog() }
        for probe in outcome.found {
            logger.notice("The part answers again", metadata: ["part": "\(probes[probe].name)"])
        }
        for probe in outcome.lost {
            logger.error(
                "A part does not answer, so the watchdog gets no sign of life",
                metadata: ["part": "\(probes[probe].name)", "reason": "no answer"]
            )
        }
        for probe in outcome.asked {
            probes[probe].ask { self.round.withLock { $0.answer(of: probe) } }
        }
    }
}

/// A part of a service that must answer regularly: a thread, an event loop, a database.
public struct WatchdogProbe: Sendable {
    /// The name of the part in the log.
    public let name: String
    let ask: @Sendable (_ answer: @escaping @Sendable () -> Void) -> Void

    /// Creates a probe.
    ///
    /// - Parameters:
    ///   - name: The name of the part in the log.
    ///   - ask: Starts a piece of work and returns at once. The work calls `answer` once when it is done, from any
    ///     thread. The watchdog does not call `ask` again before it has the answer.
    public init(_ name: String, ask: @escaping @Sendable (_ answer: @escaping @Sendable () -> Void) -> Void) {
        self.name = name
        self.ask = ask
    }
}

/// The answers of the probes since the last keep-alive message, as a value without a clock.
struct WatchdogRound {
    /// The outcome of a check.
    struct Outcome {
        /// Whether all probes have answered, so that a keep-alive message is due.
        var isAlive = true
        /// The probes to ask now.
        var asked: [Int] = []
        /// The probes that have newly failed to answer.
        var lost: [Int] = []
        /// The probes that answer again after a failure.
        var found: [Int] = []
    }

    private var isBegun = false
    private var hasAnswered: [Bool]
    private var isLost: [Bool]

    init(probes: Int) {
        hasAnswered = Array(repeating: false, count: probes)
        isLost = hasAnswered
    }

    mutating func answer(of probe: Int) {
        hasAnswered[probe] = true
    }

    /// Evaluates the answers since the previous check.
    ///
    /// The probes are asked again after all of them have answered.
    mutating func check() -> Outcome {
        var outcome = Outcome(isAlive: hasAnswered.allSatisfy(\.self))
        for probe in hasAnswered.indices where isBegun && hasAnswered[probe] == isLost[probe] {
            if isLost[probe] { outcome.found.append(probe) } else { outcome.lost.append(probe) }
            isLost[probe].toggle()
        }
        if outcome.isAlive || !isBegun {
            isBegun = true
            outcome.asked = Array(hasAnswered.indices)
            hasAnswered = hasAnswered.map { _ in false }
        }
        return outcome
    }
}
