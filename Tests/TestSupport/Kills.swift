import FoundationEssentials

/// How often a test kills the process that it is about: `VIEWMODELD_KILLS`, else 12 times.
package var kills: Int {
    ProcessInfo.processInfo.environment["VIEWMODELD_KILLS"].flatMap { Int($0) } ?? 12
}
