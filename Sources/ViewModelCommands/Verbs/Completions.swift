package import ArgumentParser

package struct Completions: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "completions",
        abstract: "Prints a completion script for a shell.",
        discussion: """
            It completes verbs and options, and from the running daemon: types, instances, members, values and \
            sessions. Without a daemon these are left out.

            bash: mkdir -p ~/.local/share/bash-completion/completions
                  viewmodelctl completions bash > ~/.local/share/bash-completion/completions/viewmodelctl
            zsh:  mkdir -p ~/.zfunc
                  viewmodelctl completions zsh > ~/.zfunc/_viewmodelctl
                  and in ~/.zshrc, before compinit: fpath+=~/.zfunc
            fish: mkdir -p ~/.config/fish/completions
                  viewmodelctl completions fish > ~/.config/fish/completions/viewmodelctl.fish
            """
    )

    @OptionGroup(title: "Options of every verb") var options: GlobalOptions

    @Argument(help: "The shell.")
    var shell: CompletionScript

    package init() {}

    package func run() async throws {
        try Printer(.text).print(text: shell.text)
    }
}
