import ArgumentParser
import PathArguments
import UnixIO
import ViewModelClient
import ViewModelCommands
import ViewModelContract
import ViewModelTranscript

struct ReplayVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Plays a transcript against the daemon and compares.",
        discussion: """
            It sends the clients' messages in the recorded order, in sessions of its own, and compares each reply and the \
            pictures after it. It stops at the first difference with the line of the transcript and exits with 1. What is \
            kept for the user, such as an account, is not in a session: play against a daemon with a state directory of \
            its own. --timeout is how many seconds later than recorded a message may come; the default is 10.
            """
    )

    @OptionGroup(title: "Options of every verb") var options: GlobalOptions

    @Option(
        name: .customLong("ignore"),
        parsing: .singleValue,
        help: ArgumentHelp(
            """
            A member that is not compared, by its instance or by its type, for example player.position. It may be \
            repeated.
            """,
            valueName: "member"
        )
    )
    var ignored: [String] = []

    @Option(help: ArgumentHelp("A file with a line PSEUDONYM=SECRET for each secret that is sent.", valueName: "file"))
    var secrets: PathArgument?

    @Argument(help: "The transcript.")
    var file: PathArgument

    /// The option limits the wait for each message.
    var timeLimit: Duration? { nil }

    func run(at context: CommandContext) async throws {
        let text = try InputReader.text(await InputReader.bytes(of: file.path), of: file.path)
        let contract = try await context.contract()
        var options = Replay.Options(ignored: Set(ignored), secrets: try await secrets(context.input))
        if let timeout = self.options.timeout { options.timeout = timeout }
        let replay: Replay
        do throws(TranscriptError) {
            replay = try Replay(Transcript(text), against: contract, options: options)
        } catch {
            throw CommandFailure.usage("\(file), \(error)")
        }
        for warning in replay.warnings { try Descriptor.error.write(line: "viewmodelctl: warning: \(warning)") }
        let socket = self.options.socketPath
        let player = ReplayPlayer(replay, socket: socket)
        let outcome: Result<Replay.Counts, any Error>
        do {
            outcome = .success(try await player.play())
        } catch {
            outcome = .failure(error)
        }
        for session in player.sessions.sorted() {
            guard let name = SessionName(session) else { continue }
            // A session that the transcript itself has closed is not there any more.
            _ = try? await context.client.call(SessionClose.self, SessionClose.Params(session: name))
        }
        let counts = try outcome.get()
        try context.printer.print(
            text: "equal: \(counts.connections) connections, \(counts.messages) messages, \(counts.replies) replies, "
                + "\(counts.pictures) pictures\n"
        )
    }

    private func secrets(_ input: InputReader) async throws -> [String: String] {
        guard let file = secrets?.path else { return [:] }
        var secrets: [String: String] = [:]
        for (index, line) in try await input.file(file).lines.enumerated()
        where !line.isEmpty {
            guard let (name, secret) = line.halves else {
                throw CommandFailure.usage("\(file), line \(index + 1): the line is not PSEUDONYM=SECRET")
            }
            secrets[String(name)] = String(secret)
        }
        return secrets
    }
}
