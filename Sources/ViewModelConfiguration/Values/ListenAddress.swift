import Glibc
import JSONRPC
import ViewModelKit

/// An address on which a gateway listens: a TCP port, or the path of a Unix-domain socket.
package struct ListenAddress: RawRepresentable, Schemable, ConfigurableValue, CustomStringConvertible, Equatable,
    Sendable
{
    package static let kind = ValueKind.read(
        "HOST:PORT, with the IP address of a host or localhost, or the absolute path of a socket",
        isPath: true
    ) { $0.text.flatMap(ListenAddress.init).map { .string($0.rawValue) } }

    /// The IP address or `localhost`, or nil for a path.
    package let host: String?
    /// The port, 0 for one that the kernel chooses.
    package let port: Int
    /// The path, or nil for a port.
    package let path: String?

    package init(host: String, port: Int) {
        self.host = host
        self.port = port
        path = nil
    }

    /// Parses `127.0.0.1:8417`, `[::1]:8417`, `localhost:8417` or an absolute path; returns nil for other text.
    package init?(rawValue text: String) {
        if text.hasPrefix("/") {
            host = nil
            port = 0
            path = text
            return
        }
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            return nil
        }
        var host = String(text[..<colon])
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = String(host.dropFirst().dropLast())
            guard Self.isAddress(host, AF_INET6) else { return nil }
        } else {
            guard host == "localhost" || Self.isAddress(host, AF_INET) else { return nil }
        }
        self.host = host
        self.port = Int(port)
        path = nil
    }

    /// Whether only processes of this machine can connect.
    package var isLocal: Bool {
        guard let host else { return true }
        return host == "localhost" || host == "::1" || host.hasPrefix("127.")
    }

    package var rawValue: String { description }

    package var description: String {
        guard let host else { return path ?? "" }
        return host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    private static func isAddress(_ text: String, _ family: Int32) -> Bool {
        var address = in6_addr()
        return inet_pton(family, text, &address) == 1
    }
}
