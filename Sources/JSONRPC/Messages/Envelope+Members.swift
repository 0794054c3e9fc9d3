/// The members that the scanner reads.
extension Envelope {
    /// A member that the envelope defines.
    ///
    /// The raw value is its name packed into a word, with the first letter lowest.
    enum Member: UInt64 {
        case id = 0x6469
        case error = 0x72_6F72_7265
        case method = 0x646F_6874_656D
        case params = 0x736D_6172_6170
        case result = 0x746C_7573_6572
        case jsonrpc = 0x63_7072_6E6F_736A

        /// The bit of the member in a set.
        var bit: UInt8 {
            switch self {
            case .id: 1
            case .error: 2
            case .method: 4
            case .params: 8
            case .result: 16
            case .jsonrpc: 32
            }
        }
    }

    private static let mayBeDoubled = Member.result.bit | Member.error.bit

    /// Records a member and the position of its value's JSON text.
    @inline(__always)
    mutating func record(_ member: Member, _ value: Range<Int>, first: UInt8, hasEscapes: Bool, in bytes: Bytes) {
        let bit = member.bit
        doubled |= seen & bit
        seen |= bit
        switch member {
        case .id:
            switch first {
            case ASCII.openBrace, ASCII.openBracket, 0x74, 0x66: wrong |= bit
            default: id = value
            }
        case .method:
            guard first == ASCII.quote else { return wrong |= bit }
            method = Range(uncheckedBounds: (value.lowerBound &+ 1, value.upperBound &- 1))
            methodHasEscapes = hasEscapes
        case .params:
            guard first == ASCII.openBrace || first == ASCII.openBracket else { return wrong |= bit }
            params = value
        case .jsonrpc:
            if !Self.isVersion(value, hasEscapes: hasEscapes, in: bytes) { wrong |= bit }
        case .result:
            result = value
        case .error:
            error = value
        }
    }

    /// Determines the kind after the last member.
    @inline(__always)
    mutating func finish() {
        if (doubled | wrong) & Member.id.bit != 0 { id = nil }
        // The two masks are jsonrpc, method and id, without and with params: the common request.
        let isCommon = (seen == 0b100101 || seen == 0b101101) && doubled | wrong == 0
        kind = isCommon ? .request : kindOfMembers()
    }

    @inline(never)
    private func kindOfMembers() -> Kind {
        func has(_ member: Member) -> Bool { seen & member.bit != 0 }
        func isValid(_ member: Member) -> Bool { has(member) && wrong & member.bit == 0 }

        if !has(.method), has(.result) || has(.error) { return .reply }
        if doubled & ~Self.mayBeDoubled != 0 { return .invalid(.duplicateMember) }
        if !isValid(.jsonrpc) { return .invalid(.jsonrpc) }
        if !isValid(.method) { return .invalid(.method) }
        if has(.params), !isValid(.params) { return .invalid(.params) }
        guard has(.id) else { return .notification }
        return isValid(.id) ? .request : .invalid(.id)
    }

    @inline(__always)
    private static func isVersion(_ value: Range<Int>, hasEscapes: Bool, in bytes: Bytes) -> Bool {
        if value.count == 5 {
            let at = value.lowerBound
            return bytes[at] == ASCII.quote && bytes[at &+ 1] == 0x32 && bytes[at &+ 2] == ASCII.point
                && bytes[at &+ 3] == ASCII.zero && bytes[at &+ 4] == ASCII.quote
        }
        return hasEscapes && JSONText.string(bytes.part(value).part(1..<(value.count - 1))) == "2.0"
    }
}
