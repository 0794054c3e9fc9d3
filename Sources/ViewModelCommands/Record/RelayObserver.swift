import JSONRPC

/// A receiver of the connections that a ``Relay`` relays.
protocol RelayObserver: Sendable {
    associatedtype Connection: RelayConnectionObserver

    /// Begins a connection.
    func open() -> Connection
}

/// A receiver of the messages of a relayed connection.
protocol RelayConnectionObserver: Sendable {
    /// Receives a message of the client.
    func received(_ message: Bytes)

    /// Receives a message of the daemon.
    func sent(_ message: [UInt8])

    /// Is told that the client has sent what is no message.
    func receivedUnreadable(_ reason: String)

    /// Is told that the connection has ended.
    func close()
}
