import Foundation

/// The memory and the threads of a daemon with many users, each with a connection and the ViewModel `login`.
enum PresentUsers {
    private static let read: LineTemplate =
        #"{"jsonrpc":"2.0","id":{id},"method":"viewModel.read","params":{"id":"login"}}"#

    /// Connects the users.
    ///
    /// - Returns: The anonymous memory of a user in KiB, and the threads of the daemon.
    static func measure(_ count: Int, on node: ServerProcess) throws -> (memory: Double, threads: Double) {
        let former = node.anonymousBytes
        let sockets = try (0..<count).map { number in
            let socket = try node.connect(as: SavingLoad.firstUser + uid_t(number))
            try socket.call(read)
            return socket
        }
        return try withExtendedLifetime(sockets) {
            let memory = Double(node.anonymousBytes - former) / Double(count) / 1024
            let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(node.identifier)/task")
            return (memory, Double(threads.count))
        }
    }
}
