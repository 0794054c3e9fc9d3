extension JSONWriter {
    /// Appends an integer.
    @inlinable
    package mutating func integer(_ value: some FixedWidthInteger) {
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

    /// Appends a floating-point number with the fewest digits that read back to the same value.
    ///
    /// An integral number below 2^53 has no point and no exponent.
    ///
    /// - Parameter value: A finite number. Infinity and NaN are programming errors and trap.
    package mutating func double(_ value: Double) {
        precondition(value.isFinite, "JSON has no infinity and no NaN")
        if value.magnitude < 0x1p53, value == value.rounded(.towardZero), value != 0 || value.sign == .plus {
            decimal(UInt64(value.magnitude), isNegative: value < 0)
        } else {
            shortest(value.description)
        }
    }

    /// Appends a number as ``double(_:)`` does, with the fewest digits that a `Float` needs.
    mutating func float(_ value: Float) {
        if value.magnitude < 0x1p24 {
            let isIntegral = value == value.rounded(.towardZero)
            if isIntegral { double(Double(value)) } else { shortest(value.description) }
        } else {
            shortest(value.description)
        }
    }

    /// Appends Swift's description of a number without a final `.0`.
    ///
    /// The rest of the description is valid JSON.
    private mutating func shortest(_ description: String) {
        let text = description.utf8
        bytes.append(contentsOf: description.hasSuffix(".0") ? text.dropLast(2) : text[...])
    }
}
