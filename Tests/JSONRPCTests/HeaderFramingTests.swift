import JSONRPC
import Testing

@Suite struct `Header framing` {
    static func framed(_ body: String) -> String {
        "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    @Test(arguments: [
        "Content-Length: ", "content-length:", "CONTENT-LENGTH: \t ", "Content-Type: x\r\nContent-Length:",
    ])
    func `it is known by its first byte`(_ start: String) {
        var log = FramingLog()
        log.feed(start + "4\t \r\n\r\n12\n3")
        #expect(log.framing.mode == .header)
        #expect(log.texts == ["12\n3"])
    }

    @Test func `a message of no bytes is told, and the stream goes on`() {
        var log = FramingLog()
        log.feed("Content-Length: 0\r\n\r\n" + Self.framed("1") + "Content-Length: 000\r\n\r\n" + Self.framed("2"))
        #expect(log.entries == [.emptyBody, .message([0x31]), .emptyBody, .message([0x32])])
    }

    @Test(arguments: [
        "Content-Length: 0000000000000000050\r\n\r\n", "Content-Length: 5.0\r\n\r\n", "Content-Length: +5\r\n\r\n",
        "Content-Length: 0x5\r\n\r\n", "Content-Length: 5 5\r\n\r\n", "Content-Length: 5\r\ncontent-length: 5\r\n\r\n",
        "C: 1\r\n\r\n", "Content-Length: abc\r\n\r\n", "Content-Length: -5\r\n\r\n", "Content-Type: x\r\n\r\n",
        "Content-Length:\r\n\r\n", "Content-Length 5\r\n\r\n{}", "Content-Length: 1\r\nContent-Length: 2\r\n\r\n",
        "Content-Length: 1e2\r\n\r\n", "Content-Length: 99999999999999999999999\r\n\r\n", "Content-Length : 5\r\n\r\n",
        "Content-Length: 5\n\n{}", "Content-Length: \u{A0}5\r\n\r\n", "c\n", "C\r\n\r\n",
        String(repeating: "C", count: 8192),
        "Content-Filler: \(String(repeating: "x", count: 9000))\r\nContent-Length: 5\r\n\r\n",
    ])
    func `a header block that says no length ends the stream`(_ header: String) {
        for chunkSize in [1, 5, 100_000] {
            var log = FramingLog()
            for chunk in Array((header + "[]" + Self.framed("1")).utf8).chunks(of: chunkSize) { log.feed(chunk) }
            #expect(log.entries == [.malformedHeader])
            #expect(log.mostBuffered <= 8192)
            #expect(log.framing.bufferedBytes == 0)
        }
    }

    @Test func `a block of 8 KiB is good, one byte more is not`() {
        let end = "\r\nContent-Length: 2\r\n\r\n"
        func block(_ size: Int) -> String {
            "Content-Filler: " + String(repeating: "x", count: size - 16 - end.utf8.count) + end + "{}"
        }
        var log = FramingLog()
        for _ in 0..<3 { log.feed(block(8192)) }
        #expect(log.texts == ["{}", "{}", "{}"])
        log.feed(block(8193))
        #expect(log.entries.last == .malformedHeader)
    }

    @Test func `eighteen digits are a length`() {
        var log = FramingLog()
        log.feed("Content-Length: 000000000000000002\r\n\r\n{}Content-Length: 999999999999999999\r\n\r\n")
        #expect(log.entries == [.message(Array("{}".utf8)), .tooLarge])
        log.feed(String(repeating: "x", count: 100_000))
        #expect(log.entries.count == 2)
        #expect(log.framing.bufferedBytes == 0)
    }

    @Test(arguments: [1, 7, 1000])
    func `a body over the limit is told at once, and discarded`(_ chunkSize: Int) {
        let body = String(repeating: "x", count: 101)
        var log = FramingLog(maximum: 100)
        log.feed("Content-Length: 101\r\n\r\n")
        #expect(log.entries == [.tooLarge])
        for chunk in Array((body + Self.framed("1") + Self.framed(String(body.dropLast()))).utf8).chunks(of: chunkSize)
        {
            log.feed(chunk)
        }
        #expect(log.texts == [nil, "1", String(body.dropLast())])
        #expect(log.mostBuffered <= 100)
    }

    @Test func `a pause consumes the message that was handed on, no more`() {
        var framing = MessageFraming(maximumMessageBytes: 100)
        let chunk = Array((Self.framed("1") + Self.framed("2")).utf8)
        let consumed = chunk.withUnsafeBytes { framing.consume($0) { _ in .pause } }
        #expect(consumed == chunk.count / 2)
        var log = FramingLog(maximum: 1)
        log.feed(Self.framed("1") + Self.framed("") + Self.framed("33") + Self.framed("4"), pausing: true)
        #expect(log.entries == [.message([0x31]), .emptyBody, .tooLarge, .message([0x34])])
    }

    @Test func `a message in one chunk is not copied`() {
        var framing = MessageFraming(maximumMessageBytes: 100)
        Array(Self.framed("abc").utf8).withUnsafeBytes { chunk in
            _ = framing.consume(chunk) { event in
                if case .message(let bytes) = event {
                    #expect(bytes.baseAddress == chunk.baseAddress.map { $0 + chunk.count - 3 })
                }
                return .proceed
            }
        }
    }
}
