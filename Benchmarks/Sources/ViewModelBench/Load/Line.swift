import BenchFloor

/// A line from a server.
///
/// Its members are found by a search for bytes, without parsing the JSON.
struct Line {
    private let bytes: UnsafeRawBufferPointer

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    /// The length in bytes, including the line end.
    var length: Int { bytes.count + 1 }

    var isNotification: Bool { bytes.starts(with: Self.notification) }

    var isError: Bool { find(#""error":{"#) != nil }

    /// The id of a reply.
    var id: Int? { number(after: #""id":"#) }

    /// Returns the integer that follows a text.
    func number(after text: StaticString) -> Int? {
        guard var offset = find(text) else { return nil }
        var value = 0
        let start = offset
        while offset < bytes.count, case let digit = bytes[offset] &- UInt8(ascii: "0"), digit <= 9 {
            value = 10 &* value &+ Int(digit)
            offset += 1
        }
        return offset > start ? value : nil
    }

    private func find(_ text: StaticString) -> Int? {
        guard let base = bytes.baseAddress,
            let found = bench_find(base, bytes.count, text.utf8Start, text.utf8CodeUnitCount)
        else { return nil }
        return found - base + text.utf8CodeUnitCount
    }

    var text: String { String(decoding: bytes, as: UTF8.self) }

    private static let notification = Array(#"{"jsonrpc":"2.0","method""#.utf8)
}
