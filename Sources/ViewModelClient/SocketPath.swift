/// Where the daemon listens unless somebody says otherwise.
public enum SocketPath {
    /// The environment variable that names another socket.
    public static let variable = "VIEWMODELD_SOCKET"

    /// The socket's path as the daemon itself would choose it; nil where the environment does not tell.
    ///
    /// `VIEWMODELD_SOCKET` goes first, then `$XDG_RUNTIME_DIR/viewmodeld/viewmodeld.sock`, for root
    /// `/run/viewmodeld/viewmodeld.sock`. A person without `XDG_RUNTIME_DIR` gets the one that systemd would set.
    public static func standard(environment: [String: String], uid: UInt32) -> String {
        if let path = environment[variable], !path.isEmpty { return path }
        if uid == 0 { return "/run/viewmodeld/viewmodeld.sock" }
        let runtime = environment["XDG_RUNTIME_DIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/run/user/\(uid)"
        return "\(runtime)/viewmodeld/viewmodeld.sock"
    }
}
