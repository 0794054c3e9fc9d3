package import Logging
import Synchronization

/// The level of all loggers of a log, changeable while they are in use.
///
/// A logger whose own `logLevel` was set ignores the switch. A read of the level is one relaxed load.
package final class LogLevelSwitch: Sendable {
    private static let levels = Logger.Level.allCases
    private let index: Atomic<Int>

    /// Creates a switch with a level.
    package init(_ level: Logger.Level) {
        index = Atomic(Self.index(of: level))
    }

    /// The least severe level that is logged.
    package var level: Logger.Level {
        get { Self.levels[index.load(ordering: .relaxed)] }
        set { index.store(Self.index(of: newValue), ordering: .relaxed) }
    }

    private static func index(of level: Logger.Level) -> Int {
        levels.firstIndex(of: level) ?? 0
    }
}
