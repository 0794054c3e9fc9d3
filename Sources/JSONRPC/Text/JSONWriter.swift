/// A buffer that JSON text is appended to.
///
/// The writer adds no line feed, so that a message stays on one line. The `raw` methods append their text unchanged.
public struct JSONWriter: Sendable {
    /// The text so far.
    public var bytes: [UInt8]

    /// Creates an empty writer.
    public init() {
        bytes = []
    }

    /// Creates an empty writer with reserved capacity, in bytes.
    public init(reserving capacity: Int) {
        bytes = []
        bytes.reserveCapacity(capacity)
    }

    /// Appends constant JSON text unchanged.
    public mutating func raw(_ text: StaticString) {
        text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    /// Appends verified JSON text unchanged.
    public mutating func raw(_ text: Bytes) {
        bytes.append(contentsOf: text)
    }

    /// Appends verified JSON text unchanged.
    public mutating func raw(_ text: [UInt8]) {
        bytes.append(contentsOf: text)
    }

    /// Appends one byte.
    public mutating func byte(_ byte: UInt8) {
        bytes.append(byte)
    }

    /// Appends `true` or `false`.
    public mutating func bool(_ value: Bool) {
        raw(value ? "true" : "false")
    }

    /// Appends `null`.
    public mutating func null() {
        raw("null")
    }
}
