/// The agreement by which a type of any module reads and writes JSON text of its own, without importing this one.
///
/// An encoder's `userInfo` holds under this key a `(String) -> Void` that writes JSON text as the current value; a
/// decoder's holds the current value's text as a `String`. Both are made only when `userInfo` is asked for.
enum VerbatimText {
    /// `json.text`.
    static let key = CodingUserInfoKey(rawValue: "json.text")

    static func userInfo(_ value: Any) -> [CodingUserInfoKey: Any] {
        guard let key else { return [:] }
        return [key: value]
    }
}

/// One step of a coding path: the name of a member or the index of an element.
struct PathKey: CodingKey {
    var stringValue: String
    var intValue: Int?

    init(stringValue: String) {
        self.stringValue = stringValue
    }

    init(intValue: Int) {
        stringValue = "\(intValue)"
        self.intValue = intValue
    }
}

/// The standard library's types that are arrays in JSON; lets an error say what is missing.
protocol JSONArrayRepresentable {}
extension Array: JSONArrayRepresentable {}
extension Set: JSONArrayRepresentable {}

/// The standard library's types that are objects in JSON.
protocol JSONObjectRepresentable {}
extension Dictionary: JSONObjectRepresentable {}
