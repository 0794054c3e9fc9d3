public import Logging
public import ServiceLifecycle
import Synchronization

/// A service that sends a keep-alive message to the service manager when all probes have answered since the last one.
///
/// It checks the probes four times per timeout. It logs a probe that has not answered by the next check and sends no
/// keep-alive message until the probe answers. The manager ends the service when its timeout has passed
/// (`WatchdogSec=`). A service without a manager's watchdog should not create one: each check wakes the process.
public struct Watchdog: Service {
    private let interval: Duration
    private let probes: [WatchdogProbe]
    private let notifier: ServiceNotifier
    private let logger: Logger

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
    }

    /// Checks the probes until graceful shutdown.
    ///
    /// After that the manager applies `TimeoutStopSec=`.
    public func run() async throws {
        let round = SharedRound(probes: probes.count)
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                check(round)
                // A cancellation ends the sleep early and then the loop.
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

/// The round, shared between the threads of the probes and the watchdog.
private final class SharedRound: Sendable {
    let value: Mutex<WatchdogRound>

    init(probes: Int) {
        value = Mutex(WatchdogRound(probes: probes))
    }
}
