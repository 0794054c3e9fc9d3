import FoundationEssentials

/// The number of times that a test kills the process under test: `VIEWMODELD_KILLS`, or 12 by default.
package var kills: Int {
    ProcessInfo.processInfo.environment["VIEWMODELD_KILLS"].flatMap { Int($0) } ?? 12
}
