import ArgumentParser

/// How results are written.
enum OutputFormat: String, ExpressibleByArgument, CaseIterable, Sendable {
    /// Text on a terminal, JSON elsewhere.
    case auto
    /// One JSON value a line.
    case json
    /// Tables for people.
    case text
}
