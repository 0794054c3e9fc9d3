import ArgumentParser

/// The format of results.
enum OutputFormat: String, ExpressibleByArgument, CaseIterable, Sendable {
    /// Text on a terminal, JSON elsewhere.
    case auto
    /// One JSON value per line.
    case json
    /// Tables for people.
    case text
}
