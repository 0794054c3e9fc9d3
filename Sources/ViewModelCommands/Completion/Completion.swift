import UnixIO
import ViewModelClient

/// The completion of a command line: `viewmodelctl --complete …`, which the scripts of ``CompletionScript`` run.
enum Completion {
    /// The option that the scripts use as the first argument.
    static let option = "--complete"
    /// The time for the requests to the daemon, so that a shell does not hang when the daemon does.
    private static let patience = Duration.milliseconds(200)

    /// Prints the candidates for the words of a command line.
    static func run(_ arguments: [String]) async {
        guard let request = CompletionRequest(arguments) else { return }
        let position = CompletionPosition(request.words, in: CommandTree())
        let result: CompletionResult
        if let known = position.knownResult {
            result = known
        } else {
            result = .words(await candidates(position))
        }
        try? Descriptor.output.write(line: request.lines(result).joined(separator: "\n"))
    }

    private static func candidates(_ position: CompletionPosition) async -> [CompletionCandidate] {
        let fetched = try? await Deadline.run(patience, "") {
            let names = LiveNames(position.globals)
            return try await names.candidates(for: position)
        }
        return fetched ?? []
    }
}
