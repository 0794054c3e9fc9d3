import Foundation
import Testing

@testable import JSONRPC

/// Money and addresses cross the wire as strings.
@Suite struct DecimalAndURLTests {
    private struct Price: Codable, Equatable {
        var amount: Decimal
        var page: URL?
    }

    @Test func `a decimal is a string in both directions`() throws {
        let price = Price(
            amount: try #require(Decimal(string: "12.34")),
            page: URL(string: "https://example.org/a?b=1")
        )
        var writer = JSONWriter()
        try writer.encode(price)
        let text = String(decoding: writer.bytes, as: UTF8.self)
        #expect(text == #"{"amount":"12.34","page":"https://example.org/a?b=1"}"#)
        let read = try writer.bytes.withUnsafeBytes { try JSONValueDecoder.decode(Price.self, from: $0) }
        #expect(read == price)
    }

    @Test(arguments: [#""12x""#, #""""#, "12.5", "null"])
    func `what is no decimal in a string is refused`(_ text: String) {
        let document = Array(#"{"amount":\#(text),"page":null}"#.utf8)
        #expect(throws: ValueMismatch.self) {
            try document.withUnsafeBytes { try JSONValueDecoder.decode(Price.self, from: $0) }
        }
    }
}
