/// The way in which a type reads and writes its own JSON text.
package enum VerbatimText {
    /// Returns the JSON text of the decoder's current value, or nil for a decoder of another package.
    package static func read(from decoder: any Decoder) -> String? {
        (decoder as? LevelDecoder)?.text
    }

    /// Writes JSON text as the encoder's current value.
    ///
    /// Returns false for an encoder of another package, which writes nothing.
    package static func write(_ text: @autoclosure () -> String, to encoder: any Encoder) -> Bool {
        guard let encoder = encoder as? LevelEncoder else { return false }
        encoder.put(text())
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
