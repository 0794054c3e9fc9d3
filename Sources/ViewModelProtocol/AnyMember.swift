/// A key that spells every member: a type that reads `allKeys` by it takes members that it does not know.
struct AnyMember: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) {
        self.stringValue = stringValue
    }

    init?(intValue: Int) { nil }
}

extension Decoder {
    /// Lets members of the value pass that the type does not know; a value that is no object has none.
    func takeUnknownMembers() {
        _ = try? container(keyedBy: AnyMember.self).allKeys
    }
}
