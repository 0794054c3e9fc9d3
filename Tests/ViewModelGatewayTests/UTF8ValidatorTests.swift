import Testing

@testable import ViewModelGateway

/// UTF-8 in parts.
@Suite struct UTF8ValidatorTests {
    @Test(
        arguments: [
            [0x80], [0xC0], [0xC1, 0xBF], [0xE0, 0x9F], [0xED, 0xA0], [0xF0, 0x8F], [0xF4, 0x90], [0xF5], [0xFE],
            [0xC3, 0x28],
        ] as [[UInt8]]
    )
    func `a text that no continuation makes valid is refused at once`(bytes: [UInt8]) {
        var validator = UTF8Validator()
        let isValid = bytes.withUnsafeBytes { validator.consume($0) }
        #expect(!isValid)
    }

    @Test func `a valid text is valid wherever it is cut`() {
        let bytes = Array("aß€𝄞 κόσμε \u{10FFFF}\u{D7FF}\u{E000} and a long run of ASCII after it".utf8)
        for cut in 0...bytes.count {
            var validator = UTF8Validator()
            let isBeginning = bytes[..<cut].withUnsafeBytes { validator.consume($0) }
            let isEnd = bytes[cut...].withUnsafeBytes { validator.consume($0) }
            #expect(isBeginning && isEnd)
            #expect(validator.isComplete)
        }
    }

    @Test func `a text that ends inside of a character is not complete`() {
        var validator = UTF8Validator()
        let isValid = ([0xE2, 0x82] as [UInt8]).withUnsafeBytes { validator.consume($0) }
        #expect(isValid)
        #expect(!validator.isComplete)
    }
}
