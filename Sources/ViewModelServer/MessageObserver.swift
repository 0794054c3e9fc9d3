package import JSONRPC

/// An observer of the messages of all connections of a server, such as a recorder.
///
/// Its methods are called on the loops of the connections and must not block.
package protocol MessageObserver: Sendable {
    /// Called once, before the server accepts connections; `contract` returns the OpenRPC document of its ViewModels.
    func start(contract: @escaping @Sendable () -> [UInt8])

    /// Returns the observer of a new connection.
    func open() -> ConnectionObserver

    /// Called once, after the end of all connections.
    func finish() async
}
