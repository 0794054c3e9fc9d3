/// A buffer for JSON text of known maximum length.
///
/// An append copies bytes and never allocates.
///
/// Text that exceeds the buffer is a programming error and traps.
@usableFromInline package struct BoundedJSONWriter: ~Copyable {
    /// An upper bound for the length of a 64-bit integer: 20 digits and a sign.
    @inlinable package static var longestInteger: Int { 21 }

    private let bounded: UnsafeMutableRawBufferPointer
    fileprivate var count = 0

    fileprivate init(_ bounded: UnsafeMutableRawBufferPointer) {
        self.bounded = bounded
    }

    /// Appends constant JSON text unchanged.
    package mutating func raw(_ text: StaticString) {
        copy(UnsafeRawPointer(text.utf8Start), text.utf8CodeUnitCount)
    }

    /// Appends verified JSON text unchanged.
    package mutating func raw(_ text: Bytes) {
        if let start = text.baseAddress { copy(start, text.count) }
    }

    /// The capacity that ``id(_:)`` needs.
    package static func capacity(for id: RequestID) -> Int { max(16, id.long?.count ?? 0) }

    package mutating func id(_ id: RequestID) {
        if let long = id.long { return long.withUnsafeBytes { raw($0) } }
        precondition(count &+ 16 <= bounded.count)
        // Two whole words cost less than a copy of the exact length. What follows overwrites the zeros.
        bounded.storeBytes(of: id.low.littleEndian, toByteOffset: count, as: UInt64.self)
        bounded.storeBytes(of: id.high.littleEndian, toByteOffset: count &+ 8, as: UInt64.self)
        count &+= id.byteCount
    }

    package mutating func integer(_ value: Int) {
        decimal(UInt64(value.magnitude), isNegative: value < 0)
    }

    mutating func decimal(_ magnitude: UInt64, isNegative: Bool) {
        var length = isNegative ? 2 : 1
        var rest = magnitude
        while rest >= 10 {
            rest /= 10
            length &+= 1
        }
        precondition(length <= bounded.count - count)
        rest = magnitude
        var position = count &+ length
        repeat {
            position &-= 1
            bounded[position] = ASCII.zero &+ UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        } while rest > 0
        if isNegative { bounded[count] = ASCII.minus }
        count &+= length
    }

    private mutating func copy(_ start: UnsafeRawPointer, _ length: Int) {
        precondition(length <= bounded.count - count)
        bounded.baseAddress?.advanced(by: count).copyMemory(from: start, byteCount: length)
        count &+= length
    }
}

extension JSONWriter {
    /// Reserves capacity once and appends the text that a closure writes; longer text traps.
    package mutating func write(atMost capacity: Int, _ body: (inout BoundedJSONWriter) -> Void) {
        bytes.append(addingCapacity: capacity) { span in
            span.withUnsafeMutableBufferPointer { buffer, initialized in
                var bounded = BoundedJSONWriter(UnsafeMutableRawBufferPointer(buffer))
                body(&bounded)
                initialized = bounded.count
            }
        }
    }
}
