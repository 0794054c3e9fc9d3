import ArgumentParser
import Accounts
import PathArguments
import UnixIO
import ViewModelDaemon
import ViewModelStorage

/// The command `vault` of a daemon, which replaces the key that encrypts saved tokens.
struct VaultCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "vault",
        abstract: "Exchanges the key that encrypts saved tokens.",
        subcommands: [Rotate.self, Adopt.self, Clear.self]
    )

    /// The command `vault rotate`.
    struct Rotate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rotate",
            abstract: "Makes a new key, encrypts everything with it and deletes the former key.",
            discussion: "Stop the daemon first. This command cannot replace a systemd credential; see vault adopt."
        )

        @OptionGroup var options: StateOptions

        func run() async throws {
            try await options.withVault { vault in try await vault.rotate() }
            try Descriptor.output.write(line: "The vault has a new key.")
        }
    }

    /// The command `vault adopt FILE`.
    struct Adopt: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "adopt",
            abstract: "Encrypts the tokens of a former key with the current key.",
            discussion: """
                For a key that the daemon does not create: a systemd credential or vault.keyFile. Stop the daemon, \
                exchange the key, then run this command with the file of the former key.
                """
        )

        @OptionGroup var options: StateOptions

        @Argument(
            help: ArgumentHelp("The file with the former key.", valueName: "former-key"),
            completion: .file()
        )
        var file: PathArgument

        func run() async throws {
            let file = file.path
            try await options.withVault { vault in try await vault.adopt(formerKeyFile: file) }
            try Descriptor.output.write(line: "All tokens are encrypted with the current key.")
        }
    }
}

extension VaultCommand {
    /// The command `vault clear`.
    struct Clear: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "clear",
            abstract: "Deletes the tokens whose key is lost, and their users' cached pages; the users sign in again.",
            discussion: """
                Stop the daemon first. Tokens that a systemd credential or vault.keyFile encrypted are deleted only \
                if another key of this kind is present, or with --key-is-lost.
                """
        )

        @OptionGroup var options: StateOptions

        @Flag(help: "Also delete what the key of a systemd credential or vault.keyFile encrypted.")
        var keyIsLost = false

        func run() async throws {
            let keyIsLost = keyIsLost
            let count = try await options.withVault { vault in try await vault.removeUnreadable(keyIsLost: keyIsLost) }
            try Descriptor.output.write(line: "Tokens deleted: \(count). The current key decrypts all others.")
        }
    }
}

extension StateOptions {
    /// Opens the vault of a stopped daemon, runs `body` and closes the store.
    fileprivate func withVault<Result>(_ body: (Vault) async throws -> Result) async throws -> Result {
        try await withStoppedDaemon { configuration, path, logger in
            let store = try await RunningDaemon.openStore(configuration, in: path, repairsVault: true, logger: logger)
            return try await withCleanup {
                try await body(store.vault)
            } cleanUp: {
                try await store.close()
            }
        }
    }
}
