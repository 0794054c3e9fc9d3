/// A failure of a verb, with the problem, the remedy and the exit status.
package struct CommandFailure: Error, Equatable {
    var status: ExitStatus
    var message: String
    var remedy: String?

    package init(_ status: ExitStatus, _ message: String, remedy: String? = nil) {
        self.status = status
        self.message = message
        self.remedy = remedy
    }

    package static func usage(_ message: String, remedy: String? = nil) -> Self {
        Self(.usage, message, remedy: remedy)
    }

    static func notFound(_ message: String, remedy: String? = nil) -> Self {
        Self(.notFound, message, remedy: remedy)
    }
}
