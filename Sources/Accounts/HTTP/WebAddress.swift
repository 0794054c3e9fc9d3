import FoundationEssentials
import Glibc

/// A valid `http` or `https` address.
///
/// Every external address is checked here before the HTTP client uses it, because the client ends the process for a
/// port above 65535 after an IP address and for an empty host.
package struct WebAddress: Sendable {
    /// The reason why a text is not a valid address.
    ///
    /// It does not contain the text, which may be a misplaced secret.
    package struct Problem: Error, Hashable, CustomStringConvertible {
        /// Completes "The address …".
        package let description: String

        init(_ description: String) {
            self.description = description
        }
    }

    /// The address as it was given.
    package let text: String
    /// The scheme, the host and the port, as they were given.
    package let origin: String
    /// Whether requests to it are encrypted.
    package let isSecure: Bool
    /// The host in lower case; an IPv6 address has no brackets here.
    package let host: String
    /// Whether a query or a fragment follows the path.
    package let hasQueryOrFragment: Bool

    /// Parses and checks an address.
    ///
    /// - Throws: ``Problem`` for any scheme except `http` and `https`, a backslash or a character that is not visible
    ///   ASCII, user information, a host that is neither a name nor an IP address, a port outside of 1 to 65535, and more than
    ///   2,048 bytes.
    package init(_ text: String) throws(Problem) {
        guard let scheme = ["https://", "http://"].first(where: { text.lowercased().hasPrefix($0) }) else {
            throw Problem("does not begin with http:// or https://")
        }
        guard text.isShort else { throw Problem("is longer than \(String.longestWhole) bytes") }
        let rest = text.dropFirst(scheme.count)
        guard rest.utf8.allSatisfy({ 0x21...0x7E ~= $0 && $0 != UInt8(ascii: "\\") }) else {
            throw Problem("has a character that no address has")
        }
        let authority = rest.prefix { !"/?#".contains($0) }
        guard !authority.contains("@") else { throw Problem("has a user") }
        let (host, port) = try Self.parts(of: authority)
        // The HTTP client must find the same host and port.
        guard let url = URL(string: text), let found = url.host(), Self.unbracketed(found).lowercased() == host,
            url.port == port
        else { throw Problem("cannot be read") }
        self.text = text
        self.host = host
        origin = String(text.prefix(scheme.count)) + authority
        isSecure = scheme == "https://"
        hasQueryOrFragment = rest.contains { $0 == "?" || $0 == "#" }
    }

    /// Whether requests go to another machine without encryption.
    package var isUnsafe: Bool {
        let isLoopback = host.hasPrefix("127.") && host.allSatisfy { $0.isNumber || $0 == "." }
        return !isSecure && !isLoopback && host != "localhost" && host != "::1"
    }

    /// The address without a trailing slash, to which the paths of a backend are appended.
    ///
    /// - Throws: ``Problem`` if it has a query or a fragment.
    package var base: String {
        get throws(Problem) {
            guard !hasQueryOrFragment else { throw Problem("has a query or a fragment") }
            return text.hasSuffix("/") ? String(text.dropLast()) : text
        }
    }

    private static func parts(of authority: Substring) throws(Problem) -> (host: String, port: Int?) {
        let host: Substring
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else { throw Problem("has an IPv6 address without its end") }
            host = authority[authority.index(after: authority.startIndex)..<end]
            var address = in6_addr()
            guard inet_pton(AF_INET6, String(host), &address) == 1 else { throw Problem("has a wrong IPv6 address") }
            return (host.lowercased(), try port(authority[end...].dropFirst()))
        }
        host = authority.prefix { $0 != ":" }
        guard !host.isEmpty else { throw Problem("has no host") }
        let name = host.hasSuffix(".") ? host.dropLast() : host
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        let isName = labels.allSatisfy { label in
            1...63 ~= label.utf8.count && label.allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" }
        }
        guard isName, host.utf8.count <= 254 else { throw Problem("has a host that is not the name of a machine") }
        return (host.lowercased(), try port(authority[host.endIndex...]))
    }

    /// Parses a colon and a port; an empty text is no port.
    private static func port(_ text: Substring) throws(Problem) -> Int? {
        if text.isEmpty { return nil }
        let digits = text.dropFirst()
        guard text.hasPrefix(":"), digits.utf8.count <= 5, let port = UInt16(digits), port > 0, !digits.hasPrefix("+")
        else { throw Problem("has a port that is not a number from 1 to 65535") }
        return Int(port)
    }

    private static func unbracketed(_ host: String) -> String {
        host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    }
}
