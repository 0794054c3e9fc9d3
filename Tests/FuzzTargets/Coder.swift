import FoundationEssentials
import JSONRPC

/// Decodes JSON text into a type with members of every kind, encodes the value, and decodes that.
func fuzzCoder(_ input: UnsafeRawBufferPointer) {
    guard (try? JSONText.validate(input)) != nil else { return }
    decodeScalars(input)
    guard let value = try? JSONValueDecoder.decode(EveryKind.self, from: input) else { return }
    // A date may lie outside of the years that can be written.
    guard let first = encoded(value) else { return }
    let again: EveryKind
    do {
        again = try first.withUnsafeBytes { try JSONValueDecoder.decode(EveryKind.self, from: $0) }
    } catch {
        fatalError("\(error) in \(String(decoding: first, as: UTF8.self))")
    }
    guard let second = encoded(again) else { fatalError("it cannot be encoded a second time: \(again)") }
    let values = [first, second].map { text in text.withUnsafeBytes { try? JSONValue(parsing: $0) } }
    require(values[0] != nil && values[0] == values[1], "\(values)")
}

private func decodeScalars(_ text: Bytes) {
    _ = try? JSONValueDecoder.decode(Int.self, from: text)
    _ = try? JSONValueDecoder.decode(UInt64.self, from: text)
    _ = try? JSONValueDecoder.decode(Double.self, from: text)
    _ = try? JSONValueDecoder.decode(String.self, from: text)
    _ = try? JSONValueDecoder.decode([String: [Int]].self, from: text)
    _ = try? JSONValueDecoder.decode([JSONValue].self, from: text)
}

private func encoded(_ value: EveryKind) -> [UInt8]? {
    var writer = JSONWriter()
    return (try? writer.encode(value)).map { writer.bytes }
}

/// Members of every kind that the coder treats apart; all of them may be left out.
private struct EveryKind: Codable {
    enum Word: String, Codable { case one, two }
    enum Choice: Codable { case empty, number(Int), pair(left: String, right: Double) }

    let a: Int?, b: Int8?, c: UInt64?, d: Double?, e: Float?
    let f: Bool?, g: String?, h: [Int]?, i: Set<String>?, j: [String: Double]?
    let k: [Int: Bool]?, l: Date?, m: Data?, n: URL?, o: UUID?
    let p: Decimal?, q: Word?, r: Choice?, s: JSONValue?, t: [[String?]]?
    let u: UInt8?, v: Int64?, w: Int128?, x: [Word: Int]?
    /// Another of the same.
    let y: [EveryKind]?
}
