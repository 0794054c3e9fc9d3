/// The base address of a backend.
struct BackendURL: Sendable {
    /// The address without a trailing slash.
    let text: String

    /// Creates the base address from a text.
    ///
    /// - Throws: ``UnusableURL`` unless the text is a ``WebAddress`` without query and fragment.
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

/// The error for an invalid address of a backend.
///
/// It does not contain the address, because the address may contain a password.
public struct UnusableURL: Error, Sendable, CustomStringConvertible {
    /// Completes "The address …".
    let reason: String

    /// A sentence that names the problem.
    public var description: String { "The address of the account provider \(reason)" }
}
