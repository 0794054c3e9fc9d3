import Glibc
package import Logging
import ViewModelHost

extension ListeningSocket {
    /// The time between two tries to listen again.
    private static let retryInterval = Duration.seconds(2)

    /// Listens again when the file of an own socket was removed or replaced, until the task is cancelled.
    ///
    /// `adopt` accepts from the new socket from now on, and closes the descriptor of the former one.
    package func keep(
        _ logger: Logger,
        lost: () -> Void = {},
        _ adopt: (ListeningSocket) async throws -> Void
    ) async {
        guard let options = own?.options else { return }
        let paths = [path]
        var current = self
        await FileWatch.follow({ paths }, since: FileStamps(of: []), logger: logger) {
            var stamps = FileStamps(of: paths)
            // The stamps are those of the socket if it is at the path after they were read.
            while !current.isAtPath, !Task.isCancelled {
                lost()
                current = await current.renewed(options, logger, adopt)
                stamps = FileStamps(of: paths)
            }
            return stamps
        }
    }

    /// Returns the socket that replaces this one, or this one if the task is cancelled.
    private func renewed(
        _ options: SocketOptions,
        _ logger: Logger,
        _ adopt: (ListeningSocket) async throws -> Void
    ) async -> ListeningSocket {
        let metadata: Logger.Metadata = ["socket": "\(path)"]
        logger.error("The file of the socket was removed or replaced, so no client can connect", metadata: metadata)
        remove()
        var lastReason = ""
        while !Task.isCancelled {
            do {
                let socket = try ListeningSocket(options)
                do {
                    try socket.listen()
                    try await adopt(socket)
                } catch {
                    close(socket.descriptor)
                    socket.remove()
                    throw error
                }
                logger.notice("Listening again", metadata: metadata)
                return socket
            } catch {
                let reason = "\(error)"
                if reason != lastReason {
                    let details = metadata.merging(["error": "\(reason)"]) { $1 }
                    logger.error("The socket cannot be made again. This is tried every 2 seconds", metadata: details)
                }
                lastReason = reason
                try? await Task.sleep(for: Self.retryInterval)
            }
        }
        return self
    }
}
