package import JSONRPC

/// An observer of the messages of all connections of a server, such as a recorder.
///
/// Its methods are called on the loops of the connections and must not block.
package protocol MessageObserver: Sendable {
    associatedtype Connection: ConnectionObserver

    /// Called once, before the server accepts connections.
    ///
    /// - Parameter contract: Returns the OpenRPC document of the server's ViewModels.
    func start(contract: @escaping @Sendable () -> [UInt8])

    /// Returns the observer of a new connection.
    func open() -> Connection

    /// Called once, after the end of all connections.
    func finish() async
}

/// An observer of the messages of one connection.
package protocol ConnectionObserver: Sendable {
    /// Called with a message of the client.
    func received(_ message: Bytes)

    /// Called with a message to the client.
    func sent(_ message: [UInt8])

    /// Called if the client has sent what is no message.
    func receivedUnreadable(_ reason: String)

    /// Called at the end of the connection.
    func close()
}
