import FoundationEssentials

/// A calendar time for people, such as a session's creation or expiry.
package struct WallTime: Sendable {
    private let date: Date

    package static var now: WallTime { WallTime(date: Date()) }

    package func adding(seconds: Int) -> WallTime {
        WallTime(date: date.addingTimeInterval(Double(seconds)))
    }

    /// The seconds since the beginning of 1970, UTC.
    var seconds: Double { date.timeIntervalSince1970 }

    /// The date as RFC 3339 text in UTC.
    package var text: String {
        date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }
}
