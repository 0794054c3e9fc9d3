import JSONRPC
import NIOCore
import Testing
import ViewModelProtocol

@testable import ViewModelGateway

/// The daemon's messages, in parts.
@Suite struct DaemonReaderTests {
    private static func events(_ text: String, inPartsOf size: Int) -> [DaemonReader.Event] {
        var reader = DaemonReader()
        var events: [DaemonReader.Event] = []
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            var chunk = ByteBuffer(bytes: rest.prefix(size))
            rest = rest.dropFirst(size)
            while let event = reader.next(&chunk) { events.append(event) }
        }
        return events
    }

    @Test(arguments: [1, 3, 7, 24, 1000])
    func `messages are passed on in the parts that arrive`(size: Int) {
        let events = Self.events("Content-Length: 7\r\n\r\n{\"a\":1}Content-Length: 2\r\n\r\n[]", inPartsOf: size)
        var messages: [String] = []
        for event in events {
            guard case .part(let bytes, let isFirst, _) = event else {
                Issue.record("\(event)")
                return
            }
            if isFirst { messages.append("") }
            messages[messages.count - 1] += String(buffer: bytes)
        }
        #expect(messages == ["{\"a\":1}", "[]"])
        let lasts = events.filter { if case .part(_, _, isLast: true) = $0 { true } else { false } }
        #expect(lasts.count == 2)
    }

    @Test func `a refusal is a line`() {
        #expect(Self.events("{\"jsonrpc\":\"2.0\",\"id\":null}\n", inPartsOf: 5) == [.refusal])
    }

    @Test(arguments: [
        "Content-Length: 0\r\n\r\n", "Content-Length: x\r\n\r\n", "Content-Length: -1\r\n\r\n",
        "HTTP/1.1 200 OK\r\n\r\n",
        "Content-Length: 1\n\n", "Content-Length: 9999999999999999999\r\n\r\n",
        "Content-Length: 1\r\nContent-Type: x\r\n\r\n", String(repeating: "x", count: 50),
    ])
    func `anything else is malformed`(text: String) {
        #expect(Self.events(text, inPartsOf: 4) == [.malformed])
    }

    @Test func `a result is told from an error`() {
        func result(_ reply: String) -> JSONValue? { SetupRequests.result(ByteBuffer(string: reply)) }
        #expect(result(#"{"jsonrpc":"2.0","id":"gateway","result":null}"#) == .null)
        #expect(result(#"{"jsonrpc":"2.0","id":"gateway","error":{"code":1}}"#) == nil)
        #expect(result("{") == nil)
    }

    @Test func `the set-up requests begin with the scope`() {
        let setup = SetupRequests(scope: .observe)
        #expect(
            setup.requests.map { String(buffer: $0) } == [
                #"{"jsonrpc":"2.0","id":"gateway","method":"session.restrict","params":{"scope":"observe"}}"#
            ]
        )
    }
}
