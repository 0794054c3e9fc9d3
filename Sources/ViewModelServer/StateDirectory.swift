/// Where a daemon keeps what it remembers; one daemon at a time.
public final class StateDirectory: Sendable {
    /// The directory's path.
    public let path: String
    private let lock: FileLock

    /// Takes the directory: made with mode 0700 where it does not exist, closed to others where it does.
    ///
    /// - Throws: ``SocketError``, which names the directory and, where another daemon has it, that one's process.
    public init(_ path: String) throws(SocketError) {
        self.path = path
        do {
            try PrivateDirectory.make(path)
            PrivateDirectory.close(path)
            lock = try FileLock(path: path + "/lock")
        } catch {
            throw SocketError("the state directory \(path) cannot be used: \(error)")
        }
    }

    /// Gives the directory back.
    func release() {
        lock.release()
    }
}
