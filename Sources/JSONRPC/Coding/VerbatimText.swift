/// The way in which a type reads and writes its own JSON text.
///
/// Under ``key``, an encoder's `userInfo` holds a `(String) -> Void` that writes JSON text as the current value. A
/// decoder's `userInfo` holds the text of the current value as a `String`. Both are made on each access to `userInfo`.
package enum VerbatimText {
    private static let key = CodingUserInfoKey(rawValue: "json.text")

    static func userInfo(_ value: Any) -> [CodingUserInfoKey: Any] {
        guard let key else { return [:] }
        return [key: value]
    }

    /// Returns the JSON text of the decoder's current value, or nil for a decoder of another package.
    package static func read(from decoder: any Decoder) -> String? {
        key.flatMap { decoder.userInfo[$0] as? String }
    }

    /// Writes JSON text as the encoder's current value.
    ///
    /// Returns false for an encoder of another package, which writes nothing.
    package static func write(_ text: @autoclosure () -> String, to encoder: any Encoder) -> Bool {
        guard let put = key.flatMap({ encoder.userInfo[$0] as? (String) -> Void }) else { return false }
        put(text())
        return true
    }
}

/// A type of the standard library that is an array in JSON.
///
/// The error for a missing value names the kind.
protocol JSONArrayRepresentable {}
extension Array: JSONArrayRepresentable {}
extension Set: JSONArrayRepresentable {}

/// A type of the standard library that is an object in JSON, whose keys Swift compares by canonical equivalence.
protocol JSONObjectRepresentable {
    var count: Int { get }
}
extension Dictionary: JSONObjectRepresentable {}
