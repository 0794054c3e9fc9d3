package import ArgumentParser
import Foundation
import Glibc
package import PathArguments
import UnixIO
package import ViewModelClient

/// The options of every verb, which may stand before or after its name.
package struct GlobalOptions: ParsableArguments, Sendable {
    @Option(
        help: ArgumentHelp(
            "The daemon's socket.",
            discussion: "The default is $\(SocketPath.variable), then the path at which the daemon listens by default.",
            valueName: "path"
        )
    )
    package var socket: PathArgument?

    @Option(
        help: ArgumentHelp(
            "The session to work in.",
            discussion: """
                Without a name, a command has an anonymous session, which ends with the command. Use a name to keep \
                state from one command to the next.
                """,
            valueName: "name"
        ),
        transform: SessionName.parse
    )
    package var session: SessionName?

    @Flag(help: "Refuse a session that does not exist, instead of making it; with --session.")
    package var existing = false

    @Option(
        help: ArgumentHelp(
            "The user that owns the session; for admins.",
            discussion: "The session must be alive or saved. It is not created.",
            valueName: "uid"
        )
    )
    package var uid: UInt32?

    // A text, because a file follows `generate … --output`.
    @Option(
        help: ArgumentHelp(
            "The form of results: auto, json or text. auto is text on a terminal and JSON lines elsewhere.",
            discussion: "For generate, the file to write.",
            valueName: "form"
        )
    )
    package var output: OutputChoice?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The seconds for which the session stays without a client; with --session.",
            valueName: "seconds"
        ),
        transform: wholeNumber(of: "seconds")
    )
    package var linger: Int?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The seconds after which the command gives up, with exit code 6.", valueName: "seconds"),
        transform: Self.seconds
    )
    package var timeout: Duration?

    package init() {}

    /// The names of the options that have a value.
    static let valued: Set = ["--socket", "--session", "--uid", "--output", "--linger", "--timeout"]

    /// Returns the form of results, or nil if none was chosen.
    package func format() throws(CommandFailure) -> OutputFormat? {
        guard let output else { return nil }
        guard let format = OutputFormat(rawValue: output.text) else {
            throw .usage("\"\(output.text)\" is no form of results", remedy: "--output is auto, json or text")
        }
        return format
    }

    package var socketPath: String {
        socket?.path ?? SocketPath.standard(environment: ProcessText.variables, uid: UInt32(geteuid()))
    }

    @Sendable private static func seconds(_ text: String) throws -> Duration {
        guard let seconds = Double(text), seconds >= 0, seconds <= 1e9 else {
            throw ValidationError("\"\(text)\" is not a number of seconds, 0 or more")
        }
        return .seconds(seconds)
    }
}

/// The text after `--output`: a form of results, or the file that `generate` writes.
package struct OutputChoice: ExpressibleByArgument, Equatable, Sendable {
    /// The forms, for completion.
    package static var allValueStrings: [String] { OutputFormat.allCases.map(\.rawValue) }

    let path: PathArgument

    package init(argument: String) { path = PathArgument(argument: argument) }

    package var text: String { path.path }
}

/// Returns a parser of the whole numbers of a unit.
func wholeNumber(of unit: String) -> @Sendable (String) throws -> Int {
    { text in
        guard let number = Int(text), number >= 0 else {
            throw ValidationError("\"\(text)\" is not a whole number of \(unit), 0 or more")
        }
        return number
    }
}

extension SessionName {
    @Sendable static func parse(_ text: String) throws -> SessionName {
        guard let name = SessionName(text) else { throw ValidationError("A session's name is \(rule)") }
        return name
    }
}
