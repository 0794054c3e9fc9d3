#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Where a service manager's notifications or journald's records go: a real datagram socket.
package final class DatagramSocket: Sendable {
    /// What did not come in two minutes, and what came instead.
    package struct Missing: Error {
        /// What was waited for.
        package let text: String
        /// What came.
        package let received: [String]
    }

    /// Where it is: a path, or an abstract name behind an `@`.
    package let address: String
    private let descriptor: Int32

    /// A socket at an address where nothing is.
    package init(at address: String) {
        self.address = address
        descriptor = boundSocket(SOCK_DGRAM, at: address)
    }

    /// A socket at a path of its own, or with an abstract address.
    package convenience init(isAbstract: Bool = false) {
        let name = "/tmp/datagrams-\(getpid())-\(UInt64.random(in: .min ... .max))"
        self.init(at: isAbstract ? "@" + name : name)
    }

    deinit {
        close(descriptor)
        if !address.hasPrefix("@") { unlink(address) }
    }

    /// The next message that has arrived; nil when there is none.
    package func receive() -> String? {
        var buffer = [UInt8](repeating: 0, count: 8192)
        let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        return count < 0 ? nil : String(decoding: buffer[..<count], as: UTF8.self)
    }

    /// All messages that have arrived.
    package func receiveAll() -> [String] {
        var messages: [String] = []
        while let message = receive() { messages.append(message) }
        return messages
    }

    /// Waits for a message with this text in it.
    ///
    /// - Returns: the messages up to it, itself included.
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

    /// Waits until nothing has come for this long.
    package func waitUntilSilent(for pause: Duration) async throws {
        let end = ContinuousClock.now + .seconds(120)
        var messages: [String] = []
        repeat {
            try await Task.sleep(for: pause)
            messages = receiveAll()
        } while !messages.isEmpty && ContinuousClock.now < end
        if !messages.isEmpty { throw Missing(text: "silence", received: messages) }
    }
}
