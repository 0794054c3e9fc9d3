extension UnsafeRawBufferPointer {
    /// The length of the text without an unfinished character at its end; nil if no continuation makes the text valid.
    ///
    /// Text that arrives in parts is UTF-8 if its last part ends with a whole character (RFC 3629, section 4).
    var utf8Prefix: Int? {
        do {
            _ = try UTF8Span(validating: assumingMemoryBound(to: UInt8.self).span)
            return count
        } catch {
            let isUnfinished = error.kind == .truncatedScalar && error.byteOffsets.upperBound == count
            return isUnfinished ? error.byteOffsets.lowerBound : nil
        }
    }
}
