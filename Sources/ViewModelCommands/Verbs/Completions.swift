import ArgumentParser

/// The verb `viewmodelctl completions bash|zsh|fish`.
struct Completions: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prints a completion script for a shell.",
        discussion: "For bash: viewmodelctl completions bash > ~/.local/share/bash-completion/completions/viewmodelctl"
    )

    /// The supported shells.
    enum Shell: String, ExpressibleByArgument, CaseIterable {
        case bash, zsh, fish
    }

    @OptionGroup(title: "Options of every verb") var globals: GlobalOptions

    @Argument(help: "The shell.")
    var shell: Shell

    func run() async throws {
        let kind: CompletionShell =
            switch shell {
            case .bash: .bash
            case .zsh: .zsh
            case .fish: .fish
            }
        try Printer(.text).print(text: ViewModelCtl.completionScript(for: kind))
    }
}
