import TestSupport
import JSONRPC
import Testing

/// What arrives in one read and what in two makes no difference.
@Suite struct `Chunks` {
    static let bodies = [
        "{}", "1", String(repeating: "x", count: 63), String(repeating: "y", count: 64),
        String(repeating: "z", count: 65),
        "é€\u{1D11E}", " ", String(repeating: "w", count: 500), "[\"\\n\"]",
    ]

    static let limit = 64

    @Test(arguments: [false, true], [false, true])
    func `any cuts give the same messages`(_ hasHeaders: Bool, _ isPausing: Bool) {
        var random = Seeded(20_260_131)
        for _ in 0..<400 {
            var stream: [UInt8] = []
            var expected: [FramingLog.Entry] = []
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                let body = Self.bodies.randomElement(using: &random) ?? ""
                let isBlank = body == " "
                if hasHeaders {
                    stream += Array("Content-Length: \(body.utf8.count)\r\n\r\n".utf8) + Array(body.utf8)
                } else {
                    stream += Array(body.utf8) + (Bool.random(using: &random) ? [10] : [13, 10])
                    if isBlank { continue }
                }
                expected.append(body.utf8.count > Self.limit ? .tooLarge : .message(Array(body.utf8)))
            }
            var log = FramingLog(maximum: Self.limit)
            var rest = stream[...]
            while !rest.isEmpty {
                let size = Bool.random(using: &random) ? 1 : Int.random(in: 1...100, using: &random)
                log.feed(Array(rest.prefix(size)), pausing: isPausing)
                rest = rest.dropFirst(size)
            }
            #expect(log.entries == expected)
            #expect(log.framing.bufferedBytes == 0)
            #expect(log.mostBuffered <= (hasHeaders ? Self.limit : Self.limit + 1))
        }
    }

    @Test func `random bytes never crash and stay bounded`() {
        var random = Seeded(7)
        let alphabet = Array("Content-Length: 0123456789\r\n\n\n\r\r{}[]\" \t".utf8)
        for _ in 0..<3000 {
            var log = FramingLog(maximum: 32)
            if Bool.random(using: &random) { log.feed("C") }
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let size = Int.random(in: 1...80, using: &random)
                log.feed((0..<size).map { _ in alphabet.randomElement(using: &random) ?? 0 })
            }
            #expect(log.mostBuffered <= (log.framing.mode == .lines ? 33 : 8192))
            for case .message(let bytes) in log.entries { #expect(bytes.count <= 32) }
        }
    }
}
