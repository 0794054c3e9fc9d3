import ArgumentParser
import PathArguments
import UnixIO
import ViewModelStore

/// The command `backup FILE` of a daemon.
struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copies the database to a file, also while the daemon runs.",
        discussion: """
            The file has everything that the daemon acknowledged before the command began. It appears when it is \
            complete, and only its owner can read it. It does not have the key that encrypts saved tokens: back up \
            vault.key of the state directory, the credential or the file of vault.keyFile apart from it.
            """
    )

    @OptionGroup var options: StateOptions

    @Flag(help: "Replace the file if it exists.")
    var force = false

    @Argument(help: ArgumentHelp("The file, outside of the state directory.", valueName: "file"), completion: .file())
    var file: PathArgument

    func run() async throws {
        try await DaemonExit.reporting {
            try options.requireStateDirectory(options.configuration(), for: "backup")
            let configuration = StateStoreConfiguration(directory: try options.statePath())
            let bytes = try await StateStore.backUp(configuration, to: file.path, replaces: force)
            // The backup itself may be on the standard output.
            let output = (try? OutputFile(file.path))?.isStream == true ? Descriptor.error : .output
            try output.write(line: "Backed up \(bytes) bytes to \(file).")
        }
    }
}
