import ArgumentParser
import ViewModelClient

/// The options of every verb, which may stand before or after its name.
struct GlobalOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The daemon's socket.",
            discussion: "Otherwise $\(SocketPath.variable), else the path at which the daemon listens by default.",
            valueName: "path"
        )
    )
    var socket: String?

    @Option(
        help: ArgumentHelp(
            "The session to work in.",
            discussion: """
                Without one a command has an anonymous session that ends with it: what should last from one command \
                to the next wants a name.
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
            "The user whose session is meant, for admins.",
            discussion: "The session lives or is saved; it is not created.",
            valueName: "uid"
        )
    )
    var uid: UInt32?

    @Option(help: "How results are written: text on a terminal and JSON lines elsewhere, or always one of them.")
    var output: OutputFormat?

    /// Returns these options, completed by those of the other group.
    func over(_ other: GlobalOptions) -> GlobalOptions {
        var merged = self
        merged.socket = socket ?? other.socket
        merged.session = session ?? other.session
        merged.uid = uid ?? other.uid
        merged.output = output ?? other.output
        return merged
    }
}
