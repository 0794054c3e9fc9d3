/// A key that represents any member.
///
/// A type that reads `allKeys` with it accepts unknown members.
struct AnyMember: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) {
        self.stringValue = stringValue
    }

    init?(intValue: Int) { nil }
}

extension Decoder {
    /// Accepts members of the value that its type does not know; has no effect for a value that is not an object.
    func takeUnknownMembers() {
        _ = try? container(keyedBy: AnyMember.self).allKeys
    }
}
