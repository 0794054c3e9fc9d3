import Glibc

/// A real datagram socket that receives the notifications for systemd or the records for journald.
package final class DatagramSocket: Sendable {
    /// The error if a message does not arrive within two minutes.
    package struct Missing: Error {
        /// The awaited text.
        package let text: String
        /// The messages that arrived.
        package let received: [String]
    }

    /// The address: a path, or an abstract name after an `@`.
    package let address: String
    private let descriptor: Int32

    /// Creates a socket at an unused address.
    package init(at address: String) {
        self.address = address
        descriptor = boundSocket(SOCK_DGRAM, at: address)
    }

    /// Creates a socket at a random path or with a random abstract address.
    package convenience init(isAbstract: Bool = false) {
        let name = "/tmp/datagrams-\(getpid())-\(UInt64.random(in: .min ... .max))"
        self.init(at: isAbstract ? "@" + name : name)
    }

    deinit {
        close(descriptor)
        if !address.hasPrefix("@") { unlink(address) }
    }

    /// Returns the next message that has arrived, or nil without one.
    package func receive() -> String? {
        var buffer = [UInt8](repeating: 0, count: 8192)
        let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        return count < 0 ? nil : String(decoding: buffer[..<count], as: UTF8.self)
    }

    /// Returns all messages that have arrived.
    package func receiveAll() -> [String] {
        var messages: [String] = []
        while let message = receive() { messages.append(message) }
        return messages
    }

    /// Waits up to two minutes for a message that contains a text.
    ///
    /// - Returns: The messages up to and including this one.
    @discardableResult
    package func wait(for text: String) async throws -> [String] {
        var messages: [String] = []
        let end = ContinuousClock.now + .seconds(120)
        while ContinuousClock.now < end {
            if let message = receive() {
                messages.append(message)
                if message.contains(text) { return messages }
            } else {
                try await Task.sleep(for: .milliseconds(5))
            }
        }
        throw Missing(text: text, received: messages)
    }
}
