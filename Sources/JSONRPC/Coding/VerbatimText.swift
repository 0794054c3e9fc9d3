/// The convention by which a type of any module reads and writes its own JSON text without importing this module.
///
/// Under this key an encoder's `userInfo` holds a `(String) -> Void` that writes JSON text as the current value. A
/// decoder's `userInfo` holds the text of the current value as a `String`. Both are made on each access to `userInfo`.
enum VerbatimText {
    /// The key `json.text`.
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

/// A type of the standard library that is an array in JSON.
///
/// The error for a missing value names the kind.
protocol JSONArrayRepresentable {}
extension Array: JSONArrayRepresentable {}
extension Set: JSONArrayRepresentable {}

/// A type of the standard library that is an object in JSON.
protocol JSONObjectRepresentable {}
extension Dictionary: JSONObjectRepresentable {}
