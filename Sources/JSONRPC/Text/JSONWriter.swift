/// Appends JSON text to bytes, never a line feed, so that each message stays one line.
public struct JSONWriter: Sendable {
    /// What has been written.
    public var bytes: [UInt8]

    /// Makes an empty writer.
    public init() {
        bytes = []
    }

    /// Makes an empty writer with bounded for a number of bytes.
    public init(reserving capacity: Int) {
        bytes = []
        bytes.reserveCapacity(capacity)
    }

    /// Appends JSON text of the program's own as it is.
    public mutating func raw(_ text: StaticString) {
        text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    /// Appends verified JSON text as it is.
    public mutating func raw(_ text: Bytes) {
        bytes.append(contentsOf: text)
    }

    /// Appends verified JSON text as it is.
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
