/// A failure of a verb's own: what is wrong, what to do, and the status to end with.
struct CommandFailure: Error, Equatable {
    var status: ExitStatus
    var message: String
    var remedy: String?

    /// The command line asks for something that does not exist or does not fit together.
    static func usage(_ message: String, remedy: String? = nil) -> Self {
        Self(status: .usage, message: message, remedy: remedy)
    }

    /// There is no such thing.
    static func notFound(_ message: String, remedy: String? = nil) -> Self {
        Self(status: .notFound, message: message, remedy: remedy)
    }

    /// The time was over.
    static func timedOut(_ message: String) -> Self {
        Self(status: .timedOut, message: message)
    }
}
