/// The default path of the daemon's socket.
public enum SocketPath {
    /// The environment variable that overrides the path.
    public static let variable = "VIEWMODELD_SOCKET"

    /// Returns the path at which a daemon with the same environment listens.
    ///
    /// `VIEWMODELD_SOCKET` has precedence. The path is `/run/viewmodeld/viewmodeld.sock` for root, and
    /// `$XDG_RUNTIME_DIR/viewmodeld/viewmodeld.sock` for other users. Without `XDG_RUNTIME_DIR` the function uses
    /// systemd's default, `/run/user/<uid>`.
    ///
    /// - Parameters:
    ///   - daemon: the name of the daemon, which names the directory and the socket.
    ///   - environment: the environment of the process.
    ///   - uid: the id of the user.
    /// - Returns: The path of the socket.
    public static func standard(
        of daemon: String = "viewmodeld",
        environment: [String: String],
        uid: UInt32
    ) -> String {
        if let path = environment[variable], !path.isEmpty { return path }
        if uid == 0 { return "/run/\(daemon)/\(daemon).sock" }
        let runtime = environment["XDG_RUNTIME_DIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/run/user/\(uid)"
        return "\(runtime)/\(daemon)/\(daemon).sock"
    }
}
