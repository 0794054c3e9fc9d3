import ArgumentParser
import Foundation
import Glibc
import PathArguments
import UnixIO
import ViewModelConfiguration
import ViewModelServer
import ViewModelStore

/// The command `restore FILE` of a daemon.
struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Puts a backup in the place of the database.",
        discussion: """
            Stop the daemon and its socket first. The command checks the file before it changes anything, and keeps the \
            former database in the state directory under another name. Root may run it for the daemon of the machine: \
            the files then belong to the owner of the state directory.
            """
    )

    @OptionGroup var options: StateOptions

    @Argument(
        help: ArgumentHelp("A file that the command backup has written.", valueName: "file"),
        completion: .file()
    )
    var file: PathArgument

    func run() async throws {
        try await DaemonExit.reporting {
            let path = try options.statePath()
            let backup = try BackupFile(file.path)
            let daemon = try options.configuration()
            try options.requireStateDirectory(daemon, for: "restore")
            try Self.becomeOwner(of: path)
            let state = try StateDirectory(path)
            defer { state.release() }
            let configuration = RunningDaemon.storeConfiguration(daemon ?? DaemonConfiguration(), in: path)
            let restored = try await StateStore.restore(backup, into: configuration)
            try Descriptor.output.write(line: "Restored \(restored.path).")
            if let former = restored.formerPath {
                try Descriptor.output.write(
                    line: "The former database is kept as \(former). Remove it when you do not need it any more."
                )
            }
            if let key = restored.neededKey {
                try Descriptor.output.write(
                    line: "Before the start, see that the key that encrypted the saved tokens is in place: \(key). "
                        + "If it is lost, run \(configuration.program) vault clear; the users then sign in again."
                )
            }
        }
    }

    /// Gives up the rights of root for those of the owner of a directory, so that the daemon can use what is written.
    private static func becomeOwner(of path: String) throws {
        guard geteuid() == 0, let status = stat(of: path), status.st_uid != 0 else { return }
        guard setgroups(0, nil) == 0, setgid(status.st_gid) == 0, setuid(status.st_uid) == 0 else {
            throw DaemonExit.noPath(
                "\(path) belongs to the user with the id \(status.st_uid), and this process cannot run as that one: "
                    + "\(SystemError.last)"
            )
        }
    }
}
