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
        return "\(runtimeDirectory(of: daemon, environment: environment, uid: uid))/\(daemon).sock"
    }

    /// Returns the directory of a program's sockets.
    package static func runtimeDirectory(of program: String, environment: [String: String], uid: UInt32) -> String {
        if uid == 0 { return "/run/\(program)" }
        let runtime = environment["XDG_RUNTIME_DIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/run/user/\(uid)"
        return "\(runtime)/\(program)"
    }
}
