import JSONRPC
import Testing

@Suite struct `Line framing` {
    @Test func `a line is a message, without LF or CR LF`() {
        var log = FramingLog()
        #expect(log.framing.mode == .undetermined)
        log.feed("{\"a\":1}\n[]\r\n 1 \r\n")
        #expect(log.framing.mode == .lines)
        #expect(log.texts == ["{\"a\":1}", "[]", " 1 "])
    }

    @Test func `blank and white-space-only lines are skipped`() {
        var log = FramingLog()
        log.feed("\n\r\n\n \n\t\n  \t \r\n1\n \r \n\r\r\n2\n")
        #expect(log.texts == ["1", "2"])
    }

    @Test(arguments: ["\u{B}", "\u{A0}", "\0", "\u{FEFF}"])
    func `what only looks like white space is a message`(_ text: String) {
        var log = FramingLog()
        log.feed(text + "\n")
        #expect(log.texts == [text])
    }

    @Test func `an unfinished line waits, and is all that is buffered`() {
        var log = FramingLog()
        log.feed("1\n22")
        #expect(log.texts == ["1"])
        #expect(log.framing.bufferedBytes == 2)
        log.feed("2\n3")
        #expect(log.texts == ["1", "222"])
        #expect(log.framing.bufferedBytes == 1)
        log.feed("\n")
        #expect(log.texts == ["1", "222", "3"])
        #expect(log.framing.bufferedBytes == 0)
    }

    @Test func `headers in a later position are lines`() {
        var log = FramingLog()
        log.feed("1\nContent-Length: 2\r\n\r\n{}\n")
        #expect(log.texts == ["1", "Content-Length: 2", "{}"])
    }

    @Test(arguments: ["\n", "\r\n"], [1, 3, 7, 100])
    func `a line may have just as many bytes as the limit`(_ lineEnd: String, _ chunkSize: Int) {
        let line = String(repeating: "x", count: 20)
        var log = FramingLog(maximum: 20)
        for chunk in Array("\(line)\(lineEnd)\(line)x\(lineEnd)\(line)\(lineEnd)".utf8).chunks(of: chunkSize) {
            log.feed(chunk)
        }
        #expect(log.texts == [line, nil, line])
        #expect(log.mostBuffered <= 21)
    }

    @Test func `a CR that is not before the LF counts`() {
        var log = FramingLog(maximum: 4)
        for byte in Array("1234\rx\n1234\r\n123\r\r\n1234\r\r\n1\n".utf8) { log.feed([byte]) }
        #expect(log.entries.map { $0 == .tooLarge } == [true, false, false, true, false])
        #expect(log.texts == [nil, "1234", "123\r", nil, "1"])
    }

    @Test func `a line over the limit is told at once, and its rest discarded`() {
        var log = FramingLog(maximum: 100)
        log.feed(String(repeating: "y", count: 60))
        #expect(log.entries.isEmpty)
        log.feed(String(repeating: "y", count: 60))
        #expect(log.entries == [.tooLarge])
        for _ in 0..<1000 { log.feed(String(repeating: "y", count: 1000)) }
        #expect(log.framing.bufferedBytes == 0)
        log.feed("\n1\n")
        #expect(log.texts == [nil, "1"])
        #expect(log.mostBuffered <= 101)
    }

    @Test func `a pause consumes what was handed on, no more`() {
        var framing = MessageFraming(maximumMessageBytes: 100)
        let chunk = Array("\n12\r\n3\n4".utf8)
        let consumed = chunk.withUnsafeBytes { framing.consume($0) { _ in .pause } }
        #expect(consumed == 5)
        var log = FramingLog()
        log.feed("1\n\n2\n3", pausing: true)
        log.feed("\n4\n", pausing: true)
        #expect(log.texts == ["1", "2", "3", "4"])
    }

    @Test func `a message in one chunk is not copied`() {
        var framing = MessageFraming(maximumMessageBytes: 100)
        Array("abc\n".utf8).withUnsafeBytes { chunk in
            _ = framing.consume(chunk) { event in
                if case .message(let bytes) = event { #expect(bytes.baseAddress == chunk.baseAddress) }
                return .proceed
            }
        }
    }

    @Test(arguments: [("[]\n", MessageFraming.Mode.lines), ("Content-Length: 2\r\n\r\n[]", .header)])
    func `the mode may be found out before the first event, and only once`(_ text: String, _ mode: MessageFraming.Mode)
    {
        var log = FramingLog()
        withText("") { log.framing.determineMode(from: $0) }
        #expect(log.framing.mode == .undetermined)
        withText(text) { log.framing.determineMode(from: $0) }
        withText(mode == .lines ? "C" : "[") { log.framing.determineMode(from: $0) }
        #expect(log.framing.mode == mode)
        log.feed(text)
        #expect(log.texts == ["[]"])
    }

    @Test func `an empty chunk decides nothing`() {
        var log = FramingLog()
        log.feed([])
        #expect(log.framing.mode == .undetermined)
        log.feed("c")
        #expect(log.framing.mode == .header)
    }
}

extension Array {
    /// The elements in their order, so many at a time.
    func chunks(of size: Int) -> [[Element]] {
        stride(from: 0, to: count, by: size).map { Array(self[$0..<Swift.min($0 + size, count)]) }
    }
}
