import FoundationEssentials

/// The address of a backend, to which paths are added.
struct BackendURL: Sendable {
    /// The address, without a slash at its end.
    let text: String

    /// - Throws: ``UnusableURL`` for anything but an absolute `http` or `https` address.
    init(_ text: String) throws {
        guard let url = URL(string: text), let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme),
            let host = url.host(), !host.isEmpty, url.query() == nil, url.fragment() == nil
        else {
            throw UnusableURL(text: text)
        }
        self.text = text.hasSuffix("/") ? String(text.dropLast()) : text
    }

    func appending(_ path: String) -> String { text + path }
}

/// An address that no backend can be at.
public struct UnusableURL: Error, Sendable, CustomStringConvertible {
    let text: String

    /// Says what is wrong with it.
    public var description: String { "\"\(text)\" is not an http or https address of a backend" }
}
