extension JSONWriter {
    /// Appends an integer.
    @inlinable
    public mutating func integer(_ value: some FixedWidthInteger) {
        if let value = Int64(exactly: value) {
            decimal(value.magnitude, isNegative: value < 0)
        } else if let value = UInt64(exactly: value) {
            decimal(value, isNegative: false)
        } else {
            bytes.append(contentsOf: value.description.utf8)
        }
    }

    @usableFromInline
    mutating func decimal(_ magnitude: UInt64, isNegative: Bool) {
        write(atMost: BoundedJSONWriter.longestInteger) { $0.decimal(magnitude, isNegative: isNegative) }
    }

    /// Appends a floating-point number, with as few digits as read back to the same one; an integral one below 2^53
    /// without point and exponent.
    ///
    /// - Parameter value: A finite number; anything else is a programming error.
    public mutating func double(_ value: Double) {
        precondition(value.isFinite, "JSON has no infinity and no NaN")
        if value.magnitude < 0x1p53, value == value.rounded(.towardZero), value != 0 || value.sign == .plus {
            decimal(UInt64(value.magnitude), isNegative: value < 0)
        } else {
            shortest(value.description)
        }
    }

    /// As ``double(_:)``, with the digits that the narrower type needs.
    mutating func float(_ value: Float) {
        if value.magnitude < 0x1p24 {
            let isIntegral = value == value.rounded(.towardZero)
            if isIntegral { double(Double(value)) } else { shortest(value.description) }
        } else {
            shortest(value.description)
        }
    }

    /// Appends Swift's description of a number, which is JSON's but for a needless `.0`.
    private mutating func shortest(_ description: String) {
        let text = description.utf8
        bytes.append(contentsOf: description.hasSuffix(".0") ? text.dropLast(2) : text[...])
    }
}
