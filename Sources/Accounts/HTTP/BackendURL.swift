/// The address of a backend, to which paths are added.
struct BackendURL: Sendable {
    /// The address, without a slash at its end.
    let text: String

    /// - Throws: ``UnusableURL`` for anything but a ``WebAddress`` without query and fragment.
    init(_ text: String) throws {
        do {
            let address = try WebAddress(text)
            guard !address.hasQueryOrFragment else { throw UnusableURL(reason: "has a query or a fragment") }
        } catch let problem as WebAddress.Problem {
            throw UnusableURL(reason: problem.description)
        }
        self.text = text.hasSuffix("/") ? String(text.dropLast()) : text
    }

    func appending(_ path: String) -> String { text + path }
}

/// An address that no backend can be at.
///
/// It does not repeat the address, which may have a password in it.
public struct UnusableURL: Error, Sendable, CustomStringConvertible {
    /// Completes "The address …".
    let reason: String

    /// Says what is wrong with it.
    public var description: String { "The address of the account provider \(reason)" }
}
