import Testing

@testable import ViewModelGateway

/// UTF-8 in parts.
@Suite struct UTF8PrefixTests {
    private func prefix(_ bytes: [UInt8]) -> Int? { bytes.withUnsafeBytes { $0.utf8Prefix } }

    @Test(
        arguments: [
            [0x80], [0xC0], [0xC1, 0xBF], [0xE0, 0x9F], [0xED, 0xA0], [0xF0, 0x8F], [0xF4, 0x90], [0xF5], [0xFE],
            [0xC3, 0x28], [0xF0, 0x9F, 0x41], [0x41, 0xE2, 0x82, 0xE2, 0x82],
        ] as [[UInt8]]
    )
    func `a text that no continuation makes valid is refused at once`(bytes: [UInt8]) {
        #expect(prefix(bytes) == nil)
    }

    @Test func `a valid text is valid wherever it is cut`() throws {
        let bytes = Array("aß€𝄞 κόσμε \u{10FFFF}\u{D7FF}\u{E000} and a long run of ASCII after it".utf8)
        for cut in 0...bytes.count {
            let beginning = try #require(prefix(Array(bytes[..<cut])))
            #expect(cut - beginning < 4)
            #expect(String(validating: bytes[..<beginning], as: UTF8.self) != nil)
            #expect(prefix(Array(bytes[beginning...])) == bytes.count - beginning)
        }
    }

    @Test func `a text that ends inside of a character is not complete`() {
        #expect(prefix([0x41, 0xE2, 0x82]) == 1)
    }
}
