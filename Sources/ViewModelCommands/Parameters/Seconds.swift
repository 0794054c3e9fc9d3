import ArgumentParser

/// A duration in seconds, such as `2` or `0.5`.
struct Seconds: Equatable, Sendable {
    var duration: Duration

    init(parsing text: String) throws {
        guard let seconds = Double(text), seconds >= 0, seconds <= 1e9 else {
            throw ValidationError("\"\(text)\" is no number of seconds")
        }
        duration = .seconds(seconds)
    }
}
