/// A buffer that JSON text is appended to.
///
/// The writer adds no line feed, so that a message stays on one line. The `raw` methods append their text unchanged.
@usableFromInline package struct JSONWriter: Sendable {
    /// The text so far.
    @usableFromInline package var bytes: [UInt8]

    /// Creates an empty writer.
    package init() {
        bytes = []
    }

    /// Creates an empty writer with reserved capacity, in bytes.
    package init(reserving capacity: Int) {
        bytes = []
        bytes.reserveCapacity(capacity)
    }

    /// Appends constant JSON text unchanged.
    package mutating func raw(_ text: StaticString) {
        text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    /// Appends verified JSON text unchanged.
    package mutating func raw(_ text: Bytes) {
        bytes.append(contentsOf: text)
    }

    /// Appends verified JSON text unchanged.
    package mutating func raw(_ text: [UInt8]) {
        bytes.append(contentsOf: text)
    }

    /// Appends one byte.
    package mutating func byte(_ byte: UInt8) {
        bytes.append(byte)
    }

    /// Appends `true` or `false`.
    package mutating func bool(_ value: Bool) {
        raw(value ? "true" : "false")
    }

    /// Appends `null`.
    package mutating func null() {
        raw("null")
    }
}
