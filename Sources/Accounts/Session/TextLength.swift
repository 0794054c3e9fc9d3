import ViewModelKit

/// The check of typed texts that may only have a number of bytes.
package enum TextLength {
    /// Throws `InvalidValue` if a text is too long; the error does not contain the text.
    package static func check(_ text: String, atMost bytes: Int, path: String = "") throws {
        let count = text.utf8.count
        guard count <= bytes else {
            throw InvalidValue(path: path, expected: "a text of at most \(bytes) bytes", found: "\(count) bytes")
        }
    }
}
