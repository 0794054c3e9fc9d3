/// The directory for everything that a daemon keeps on disk, locked by one daemon at a time.
public final class StateDirectory: Sendable {
    /// The directory's path.
    public let path: String
    private let lock: FileLock

    /// Creates the directory with mode 0700, or removes the permissions of others from an existing one, and locks it.
    ///
    /// - Throws: ``SocketError``, which names the directory, and the process of another daemon that has locked it.
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

    /// Releases the lock of the directory.
    func release() {
        lock.release()
    }
}
