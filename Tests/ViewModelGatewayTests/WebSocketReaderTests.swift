import NIOCore
import Testing

@testable import ViewModelGateway

/// Frames of a client, without a socket.
///
/// The black-box tests have the cases of Autobahn.
@Suite struct WebSocketReaderTests {
    private static let mask: [UInt8] = [0x11, 0x22, 0x33, 0x44]

    /// Returns a frame of a client.
    private static func frame(_ first: UInt8, _ payload: [UInt8]) -> [UInt8] {
        let length: [UInt8] =
            payload.count < 126
            ? [0x80 | UInt8(payload.count)] : [0xFE, UInt8(payload.count >> 8), UInt8(payload.count & 255)]
        return [first] + length + mask + payload.enumerated().map { $1 ^ mask[$0 & 3] }
    }

    private static func events(
        _ bytes: [UInt8],
        inPartsOf size: Int = .max,
        maximum: Int = 1000
    ) -> [WebSocketReader.Event] {
        var reader = WebSocketReader(maximumMessageBytes: maximum)
        var events: [WebSocketReader.Event] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            var chunk = ByteBuffer(bytes: rest.prefix(size))
            rest = rest.dropFirst(size)
            while let event = reader.next(&chunk) { events.append(event) }
            #expect(chunk.readableBytes == 0)
        }
        return events
    }

    @Test(arguments: [1, 2, 3, 5, 8, 64, 1000])
    func `messages and control frames are the same in parts of any size`(size: Int) {
        let long = [UInt8](repeating: 0x61, count: 300)
        let bytes =
            Self.frame(0x81, Array("one".utf8)) + Self.frame(0x01, Array("tw€".utf8.dropLast()))
            + Self.frame(0x89, [7]) + Self.frame(0x80, [0xAC]) + Self.frame(0x8A, []) + Self.frame(0x81, long)
            + Self.frame(0x81, []) + Self.frame(0x88, [0x03, 0xE8])
        #expect(
            Self.events(bytes, inPartsOf: size) == [
                .message(ByteBuffer(string: "one")), .ping(ByteBuffer(bytes: [7])), .message(ByteBuffer(string: "tw€")),
                .pong, .message(ByteBuffer(bytes: long)), .message(ByteBuffer()), .close(CloseCode(rawValue: 1000)),
            ]
        )
    }

    @Test(arguments: [1, 7, 125, 126, 300, 1000])
    func `a whole message is moved with the header of the daemon's framing`(length: Int) {
        let text = [UInt8](repeating: 0x62, count: length - 1) + [0x63]
        var reader = WebSocketReader(maximumMessageBytes: 1000)
        var chunk = ByteBuffer(bytes: Self.frame(0x81, text) + [0x81])
        var output = ByteBuffer(string: "before")
        #expect(reader.moveMessage(from: &chunk, to: &output))
        #expect(Array(chunk.readableBytesView) == [0x81])
        var expected = ByteBuffer(string: "before")
        expected.writeDaemonMessage(ByteBuffer(bytes: text))
        #expect(output == expected)
        #expect(String(buffer: output).hasPrefix("beforeContent-Length: \(length)\r\n\r\nb") || length == 1)
    }

    @Test(
        arguments: [
            [0x81], frame(0x81, []), Array(frame(0x81, [0x61]).dropLast()), frame(0x01, [0x61]), frame(0x89, [0x61]),
            frame(0x82, [0x61]), frame(0xC1, [0x61]), frame(0x81, [0xFF]), frame(0x81, [0xE2, 0x82]),
            frame(0x81, .init(repeating: 0x61, count: 1001)), [0x81, 1, 0x61, 0, 0, 0, 0, 0],
            [0x81, 0xFE, 0, 1, 0, 0, 0, 0, 0x61],
        ]
    )
    func `other bytes stay for the reader of all frames`(bytes: [UInt8]) {
        var reader = WebSocketReader(maximumMessageBytes: 1000)
        var chunk = ByteBuffer(bytes: bytes)
        var output = ByteBuffer()
        #expect(!reader.moveMessage(from: &chunk, to: &output))
        #expect(Array(chunk.readableBytesView) == bytes)
        #expect(output.readableBytes == 0)
    }

    @Test func `a whole frame inside of a message is not moved`() {
        var reader = WebSocketReader(maximumMessageBytes: 1000)
        var chunk = ByteBuffer(bytes: Self.frame(0x01, [0x61]))
        #expect(reader.next(&chunk) == nil)
        chunk = ByteBuffer(bytes: Self.frame(0x81, [0x62]))
        var output = ByteBuffer()
        #expect(!reader.moveMessage(from: &chunk, to: &output))
        #expect(reader.next(&chunk) == .close(.protocolError))
    }

    @Test(
        arguments: [
            ([0xC1], .protocolError), ([0x83], .protocolError), ([0x81, 0x01], .protocolError),
            ([0x09], .protocolError), ([0x89, 0xFE], .protocolError), ([0x80, 0x80, 0, 0, 0, 0], .protocolError),
            ([0x82, 0x80, 0, 0, 0, 0], .unsupportedData), ([0x81, 0xFE, 0x00, 0x7D], .protocolError),
            ([0x81, 0xFF, 0x80, 0, 0, 0, 0, 0, 0, 0], .protocolError),
            ([0x81, 0xFF, 0, 0, 0, 0, 0x7F, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0], .messageTooBig),
        ] as [([UInt8], CloseCode)]
    )
    func `a broken rule ends the stream at the byte that breaks it`(bytes: [UInt8], code: CloseCode) {
        let after = Self.frame(0x81, Array("later".utf8))
        #expect(Self.events(bytes + after) == [.close(code)])
        #expect(Self.events(bytes.dropLast()) == [])
    }

    @Test func `the fragments of a message count together for the limit`() {
        let part = [UInt8](repeating: 0x20, count: 500)
        let fitting = Self.frame(0x01, part) + Self.frame(0x80, part)
        #expect(Self.events(fitting) == [.message(ByteBuffer(bytes: part + part))])
        #expect(
            Self.events(Self.frame(0x01, part) + Self.frame(0x00, part) + [0x80, 0x81, 0, 0, 0, 0]) == [
                .close(.messageTooBig)
            ]
        )
    }

    @Test func `an announced length allocates nothing before its payload arrives`() {
        var reader = WebSocketReader(maximumMessageBytes: 1 << 30)
        var chunk = ByteBuffer(bytes: [0x81, 0xFF, 0, 0, 0, 0, 0x3F, 0, 0, 0, 1, 2, 3, 4, 0x20])
        let event = reader.next(&chunk)
        #expect(event == nil)
        #expect(reader.heldBytes <= 128 << 10)
    }

    @Test(
        arguments: [
            (1000, true), (1003, true), (1004, false), (1005, false), (1006, false), (1007, true), (1014, true),
            (1015, false),
            (2999, false), (3000, true), (4999, true), (5000, false), (999, false),
        ] as [(UInt16, Bool)]
    )
    func `codes that may not stand in a frame are an error`(code: UInt16, isValid: Bool) {
        let closing = Self.frame(0x88, [UInt8(code >> 8), UInt8(code & 255)])
        #expect(Self.events(closing) == [isValid ? .close(CloseCode(rawValue: code)) : .close(.protocolError)])
    }

    @Test(arguments: [(0, 2), (125, 2), (126, 4), (65_535, 4), (65_536, 10)])
    func `the head of a server's frame has the shortest form and no mask`(length: Int, count: Int) {
        var buffer = ByteBuffer()
        buffer.writeFrameHead(.text, isFinal: false, length: length)
        #expect(buffer.readableBytes == count)
        #expect(buffer.getInteger(at: 0, as: UInt8.self) == 0x01)
        #expect((buffer.getInteger(at: 1, as: UInt8.self) ?? 0xFF) & 0x80 == 0)
    }
}
