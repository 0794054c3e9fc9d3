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
        guard let request = CompletionRequest(arguments), let tree = CommandTree.program else { return }
        let position = CompletionPosition(request.words, in: tree)
        let result = try? await TimeLimit.run(patience, "") { try await position.result() }
        let lines = request.lines(result ?? .words([]))
        try? Descriptor.output.write(line: lines.joined(separator: "\n"))
    }
}
