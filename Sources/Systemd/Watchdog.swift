public import Logging
public import ServiceLifecycle
import Synchronization

/// Gives the service manager a sign of life as long as there is life: when every probe has answered since the one before.
///
/// It looks four times in the manager's time-out. A probe that has not answered by then is named in the log, and until it
/// does there is no sign; the manager ends the service when its time is over (`WatchdogSec=`). A service that is not watched
/// has no use for it: without it nothing is woken up.
public struct Watchdog: Service {
    private let interval: Duration
    private let probes: [WatchdogProbe]
    private let notifier: ServiceNotifier
    private let logger: Logger

    /// - Parameter timeout: the manager's, ``ServiceEnvironment/watchdogTimeout``.
    public init(timeout: Duration, probes: [WatchdogProbe], notifier: ServiceNotifier, logger: Logger) {
        interval = timeout / 4
        self.probes = probes
        self.notifier = notifier
        self.logger = logger
    }

    /// Watches until a graceful shutdown; from then on the manager has another time-out (`TimeoutStopSec=`).
    public func run() async throws {
        let round = SharedRound(probes: probes.count)
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                check(round)
                // Ends early when it is cancelled, and so does the loop.
                try? await Task.sleep(for: interval)
            }
        }
    }

    private func check(_ round: SharedRound) {
        let outcome = round.value.withLock { $0.check() }
        if outcome.isAlive { notifier.watchdog() }
        for probe in outcome.found {
            logger.notice("Answers again", metadata: ["part": "\(probes[probe].name)"])
        }
        for (probe, reason) in outcome.lost {
            logger.error(
                "No sign of life for the service manager: a part does not answer",
                metadata: ["part": "\(probes[probe].name)", "reason": "\(reason)"]
            )
        }
        for probe in outcome.asked {
            probes[probe].ask { answer in round.value.withLock { $0.answer(answer, of: probe) } }
        }
    }
}

/// A round that the probes' threads and the watchdog share.
private final class SharedRound: Sendable {
    let value: Mutex<WatchdogRound>

    init(probes: Int) {
        value = Mutex(WatchdogRound(probes: probes))
    }
}
