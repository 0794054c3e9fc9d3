internal import FoundationEssentials

extension DecoderCore {
    /// Reads a value whose type needs no decoder; returns nil for any other type.
    @inline(__always)
    func scalar<T>(_ type: T.Type, at value: Range<Int>, position: DecodingPosition) throws -> T? {
        if type == Int.self { return unsafeBitCast(try integer(Int.self, at: value, position), to: type) }
        if type == String.self { return unsafeBitCast(try string(at: value, position), to: type) }
        if type == Bool.self { return unsafeBitCast(try bool(at: value, position), to: type) }
        if type == Double.self { return unsafeBitCast(try float(Double.self, at: value, position), to: type) }
        if type == Date.self { return unsafeBitCast(try date(at: value, position), to: type) }
        if type == Data.self { return try data(at: value, position) as? T }
        if type == Decimal.self { return try text(at: value, position, "a decimal number as a string", decimal) as? T }
        if type == URL.self { return try text(at: value, position, "a URL", { URL(string: $0) }) as? T }
        if type == Float.self { return unsafeBitCast(try float(Float.self, at: value, position), to: type) }
        if type == Int8.self { return unsafeBitCast(try integer(Int8.self, at: value, position), to: type) }
        if type == Int16.self { return unsafeBitCast(try integer(Int16.self, at: value, position), to: type) }
        if type == Int32.self { return unsafeBitCast(try integer(Int32.self, at: value, position), to: type) }
        if type == Int64.self { return unsafeBitCast(try integer(Int64.self, at: value, position), to: type) }
        if type == UInt.self { return unsafeBitCast(try integer(UInt.self, at: value, position), to: type) }
        if type == UInt8.self { return unsafeBitCast(try integer(UInt8.self, at: value, position), to: type) }
        if type == UInt16.self { return unsafeBitCast(try integer(UInt16.self, at: value, position), to: type) }
        if type == UInt32.self { return unsafeBitCast(try integer(UInt32.self, at: value, position), to: type) }
        if type == UInt64.self { return unsafeBitCast(try integer(UInt64.self, at: value, position), to: type) }
        return nil
    }

    /// Reads a decimal number; returns nil if any part of the text is not a number.
    private func decimal(_ text: String) -> Decimal? {
        guard !text.isEmpty, text.utf8.allSatisfy({ "+-.0123456789eE".utf8.contains($0) }) else { return nil }
        return Decimal(string: text)
    }

    /// Reads a string and converts it to another type.
    private func text<Value>(
        at value: Range<Int>,
        _ position: DecodingPosition,
        _ expected: String,
        _ make: (String) -> Value?
    ) throws -> Value {
        guard let made = make(try string(at: value, position)) else {
            throw typeMismatch(position, expected, at: value)
        }
        return made
    }

    func isNull(_ value: Range<Int>) -> Bool {
        bytes[value.lowerBound] == 0x6E
    }

    func bool(at value: Range<Int>, _ position: DecodingPosition) throws -> Bool {
        switch bytes[value.lowerBound] {
        case 0x74: true
        case 0x66: false
        default: throw typeMismatch(position, Expectation.boolean, at: value)
        }
    }

    func string(at value: Range<Int>, _ position: DecodingPosition) throws -> String {
        guard bytes[value.lowerBound] == ASCII.quote, value.count >= 2 else {
            throw typeMismatch(position, Expectation.string, at: value)
        }
        return JSONText.string(bytes.part((value.lowerBound + 1)..<(value.upperBound - 1)))
    }

    @inline(__always)
    private func number(at value: Range<Int>, _ position: DecodingPosition, _ expected: String) throws -> Bytes {
        let first = bytes[value.lowerBound]
        guard ASCII.isDigit(first) || first == ASCII.minus else { throw typeMismatch(position, expected, at: value) }
        return bytes.part(value)
    }

    @inline(__always)
    func integer<T: FixedWidthInteger>(_ type: T.Type, at value: Range<Int>, _ position: DecodingPosition) throws -> T {
        switch NumberText.integer(try number(at: value, position, Expectation.integer)) {
        case .value(let isNegative, let magnitude):
            let result = isNegative ? T(exactly: 0 - Int128(magnitude)) : T(exactly: magnitude)
            if let result { return result }
        case .fraction:
            throw typeMismatch(position, Expectation.integer, at: value)
        case .tooLarge:
            break
        }
        throw typeMismatch(position, Expectation.integer(in: type), at: value)
    }

    @inline(never)
    private func float<T: BinaryFloatingPoint & LosslessStringConvertible>(
        _ type: T.Type,
        at value: Range<Int>,
        _ position: DecodingPosition
    ) throws -> T {
        let result: T = NumberText.float(try number(at: value, position, Expectation.number))
        guard result.isFinite else { throw typeMismatch(position, Expectation.float(in: type), at: value) }
        return result
    }

    private func date(at value: Range<Int>, _ position: DecodingPosition) throws -> Date {
        guard bytes[value.lowerBound] == ASCII.quote, let seconds = Timestamp.parse(try string(at: value, position))
        else {
            throw typeMismatch(position, Expectation.date, at: value)
        }
        return Date(timeIntervalSince1970: seconds)
    }

    private func data(at value: Range<Int>, _ position: DecodingPosition) throws -> Data {
        guard bytes[value.lowerBound] == ASCII.quote, let data = Data(base64Encoded: try string(at: value, position))
        else { throw typeMismatch(position, Expectation.base64, at: value) }
        return data
    }
}
