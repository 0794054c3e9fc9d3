/// A failure of a verb, with the problem, the remedy and the exit status.
struct CommandFailure: Error, Equatable {
    var status: ExitStatus
    var message: String
    var remedy: String?

    /// Creates a failure for an invalid or contradictory command line.
    static func usage(_ message: String, remedy: String? = nil) -> Self {
        Self(status: .usage, message: message, remedy: remedy)
    }

    /// Creates a failure for a thing that does not exist.
    static func notFound(_ message: String, remedy: String? = nil) -> Self {
        Self(status: .notFound, message: message, remedy: remedy)
    }

    /// Creates a failure for an elapsed time limit.
    static func timedOut(_ message: String) -> Self {
        Self(status: .timedOut, message: message)
    }
}
