import ArgumentParser
import Foundation
import ViewModelClient

/// The options of every verb, which may stand before or after its name.
struct GlobalOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The daemon's socket.",
            discussion: "The default is $\(SocketPath.variable), then the path at which the daemon listens by default.",
            valueName: "path"
        )
    )
    var socket: String?

    @Option(
        help: ArgumentHelp(
            "The session to work in.",
            discussion: """
                Without a name, a command has an anonymous session, which ends with the command. Use a name to keep \
                state from one command to the next.
                """,
            valueName: "name"
        ),
        transform: {
            guard let name = SessionName($0) else { throw ValidationError("A session's name is \(SessionName.rule)") }
            return name
        }
    )
    var session: SessionName?

    @Option(
        help: ArgumentHelp(
            "The user that owns the session; for admins.",
            discussion: "The session must be alive or saved. It is not created.",
            valueName: "uid"
        )
    )
    var uid: UInt32?

    @Option(help: "The form of results. The default is text on a terminal and JSON lines elsewhere.")
    var output: OutputFormat?

    /// Returns these options, completed by those of the other group.
    func merging(_ other: GlobalOptions) -> GlobalOptions {
        var merged = self
        merged.socket = socket ?? other.socket
        merged.session = session ?? other.session
        merged.uid = uid ?? other.uid
        merged.output = output ?? other.output
        return merged
    }
}

/// The environment of the process.
enum ProcessEnvironment {
    static var current: [String: String] { ProcessInfo.processInfo.environment }
}

/// A duration in seconds, such as `2` or `0.5`.
struct Seconds: Equatable, Sendable {
    var duration: Duration

    init(parsing text: String) throws {
        guard let seconds = Double(text), seconds >= 0, seconds <= 1e9 else {
            throw ValidationError("\"\(text)\" is not a number of seconds")
        }
        duration = .seconds(seconds)
    }
}
