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
