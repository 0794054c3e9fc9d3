import Logging
import NIOCore
import Synchronization
import ViewModelServer

/// A socket on which the gateway accepts clients.
final class ActiveSocket: Sendable {
    /// The channel that accepts, and the file of the socket if the gateway has created it.
    private let state: Mutex<(channel: any Channel, own: ListeningSocket?)>

    init(_ channel: any Channel, own: ListeningSocket?) {
        state = Mutex((channel, own))
    }

    /// Listens again when the file of the gateway's own socket was removed or replaced, until the task is cancelled.
    ///
    /// - Parameters:
    ///   - logger: logs the loss of the socket and its end.
    ///   - listen: accepts from the descriptor of a new socket.
    func keep(_ logger: Logger, _ listen: (Int32) async throws -> any Channel) async {
        guard let own = state.withLock({ $0.own }) else { return }
        await own.keep(logger) { replacement in
            let channel = try await listen(replacement.descriptor)
            let former = state.withLock { state in
                defer { state = (channel, replacement) }
                return state.channel
            }
            try? await former.close()
        }
    }

    /// Removes the gateway's own socket and accepts no more clients.
    func close() async {
        let (channel, own) = state.withLock { $0 }
        own?.remove()
        try? await channel.close()
    }
}
