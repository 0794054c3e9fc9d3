package import Logging
import Synchronization

/// The level that all of a log's loggers obey, changeable while they are in use.
///
/// A logger whose own `logLevel` was set keeps that one. Reading it is one relaxed load.
package final class LogLevelSwitch: Sendable {
    private static let levels = Logger.Level.allCases
    private let index: Atomic<Int>

    /// Makes a switch that stands at this level.
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
