import Glibc
import UnixIO

/// The receiver that a service manager connected to standard error and announced in `JOURNAL_STREAM` (systemd.exec(5)).
enum JournalStream {
    /// The journal itself.
    case journald
    /// A receiver that parses the priorities of sd-daemon(3).
    case other

    /// The receiver of this process's standard error, or nil.
    static var ofProcess: JournalStream? { JournalStream(variable: ProcessText.variables["JOURNAL_STREAM"]) }

    /// The socket path at journald's end of a service's stream.
    private static let journaldPath = "/run/systemd/journal/stdout"

    /// Compares the variable with a descriptor.
    ///
    /// Nil if they identify different files or the variable is not set.
    ///
    /// The variable alone proves nothing, because children inherit it even if their standard error is another file.
    init?(variable: String?, descriptor: Int32 = STDERR_FILENO) {
        guard let variable, let status = stat(of: descriptor), variable == "\(status.st_dev):\(status.st_ino)" else {
            return nil
        }
        self = LocalAddress(of: descriptor, isPeer: true)?.path == Self.journaldPath ? .journald : .other
    }
}
