import Glibc
import Logging
import NIOCore
import Synchronization
import ViewModelServer

/// A socket on which the gateway accepts clients.
final class ActiveSocket: Sendable {
    private struct State {
        /// The channel that accepts, with a descriptor of its own.
        var channel: any Channel
        var socket: ListeningSocket
    }

    private let state: Mutex<State>
    private let accept: @Sendable (Int32) async throws -> any Channel

    /// Accepts clients from a listening socket, whose descriptor ``close()`` closes.
    ///
    /// `accept` makes the channel that accepts from a copy of a descriptor.
    init(_ socket: ListeningSocket, accept: @escaping @Sendable (Int32) async throws -> any Channel) async throws {
        state = Mutex(State(channel: try await accept(socket.descriptor), socket: socket))
        self.accept = accept
    }

    /// Listens again when the file of the gateway's own socket was removed or replaced, until the task is cancelled.
    func keep(_ logger: Logger) async {
        await state.withLock({ $0.socket }).keep(logger) { replacement in
            let new = State(channel: try await accept(replacement.descriptor), socket: replacement)
            let former = state.withLock { state in
                defer { state = new }
                return state
            }
            try? await former.channel.close()
            Glibc.close(former.socket.descriptor)
        }
    }

    /// Accepts no clients until ``resume()``; the kernel queues those that connect.
    func pause() async {
        try? await state.withLock { $0.channel }.close()
    }

    /// Accepts clients again.
    func resume() async throws {
        let channel = try await accept(state.withLock { $0.socket.descriptor })
        state.withLock { $0.channel = channel }
    }

    /// Removes the gateway's own socket and accepts no more clients.
    ///
    /// The kernel keeps the clients of a socket that the service manager has passed for the next gateway.
    func close() async {
        let last = state.withLock { $0 }
        last.socket.remove()
        try? await last.channel.close()
        Glibc.close(last.socket.descriptor)
    }
}
