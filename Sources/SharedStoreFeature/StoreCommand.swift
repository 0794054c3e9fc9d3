import ArgumentParser
import JSONRPC
import UnixIO
import ViewModelConfiguration
import ViewModelDaemon
import ViewModelHost
import ViewModelStorage
import ViewModelStore

/// The command `store` of a daemon.
struct StoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store",
        abstract: "Copies the saved data to a database that machines share, or back.",
        subcommands: [Copy.self]
    )

    /// The command `store copy`.
    struct Copy: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "copy",
            abstract: "Copies everything from the state directory to a PostgreSQL database, or back.",
            discussion: """
                Stop the daemons of both first. The destination must be empty, and the source stays as it is. The command \
                reads the copy, and compares the number of its records and their digests with those of the source.

                The password of the database comes from store.passwordFile or a systemd credential. The key of the vault \
                is not copied: the daemons that use the copy need the key of the source.
                """
        )

        @OptionGroup var options: StateOptions

        @Option(name: .customLong("to"), help: ArgumentHelp("The database to which to copy.", valueName: "url"))
        var destination: String?

        @Option(name: .customLong("from"), help: ArgumentHelp("The database from which to copy.", valueName: "url"))
        var source: String?

        func validate() throws {
            guard (destination == nil) != (source == nil) else {
                throw ValidationError("Give one database: --to URL copies to it, --from URL copies from it.")
            }
        }

        func run() async throws {
            try await options.withStoppedDaemon(makesDirectory: source != nil) { configuration, path, logger in
                var (local, shared) = (configuration, configuration)
                local.values["store.url"] = nil
                shared.values["store.url"] = (destination ?? source).map { .string($0) }
                if destination != nil { try StateStore.requireDatabase(StateStoreConfiguration(directory: path)) }
                let database = try await RunningDaemon.openStore(shared, in: path, repairsVault: true, logger: logger)
                try await withCleanup {
                    let directory = try await RunningDaemon.openStore(
                        local,
                        in: path,
                        repairsVault: true,
                        logger: logger
                    )
                    try await withCleanup {
                        if destination != nil {
                            try await Self.copy(from: directory, to: database)
                        } else {
                            try await Self.copy(from: database, to: directory)
                        }
                    } cleanUp: {
                        try await directory.close()
                    }
                } cleanUp: {
                    try await database.close()
                }
            }
        }

        private static func copy(
            from source: any StateStorage,
            to destination: any StateStorage
        ) async throws {
            let records = try await source.records()
            try await destination.fill(with: records)
            let copied = try await destination.records().summaries
            for (summary, copy) in zip(records.summaries, copied) {
                guard summary == copy else {
                    throw StoreError(
                        .failed,
                        destination.health().path,
                        "has other \(summary.kind) than the source (\(copy.count), not \(summary.count)). Do not use the copy"
                    )
                }
                try Descriptor.output.write(line: "\(summary.kind): \(summary.count) (\(summary.digest))")
            }
            try Descriptor.output.write(line: "The copy is complete.")
            let needed = records.keyIDs.subtracting([destination.vaultKeys.current.id]).sorted()
            if !needed.isEmpty {
                try Descriptor.output.write(
                    line: "Before the start, see that the key that encrypted the saved tokens is in place: "
                        + needed.joined(separator: ", ")
                )
            }
        }
    }
}
