import Testing
import ViewModelClient

@testable import ViewModelCommands

@Suite struct PlainTextTests {
    @Test(arguments: [
        ("plain", "plain"), ("two\nlines", "two lines"), ("two\r\nlines", "two lines"), ("a\tb", "a b"),
        ("\u{2028}", " "), ("\u{1B}[31mred", "\\u001b[31mred"), ("\u{7F}\u{9B}", "\\u007f\\u009b"),
        ("\u{0}", "\\u0000"),
        ("a\u{202E}b", "a\\u202eb"), ("\u{2066}x\u{2069}", "\\u2066x\\u2069"), ("\u{200E}\u{200F}", "\\u200e\\u200f"),
        ("\u{61C}", "\\u061c"), ("a\u{200B}b\u{FEFF}", "a\\u200bb\\ufeff"), ("\u{200D}", "\\u200d"),
        ("\u{E0001}", "\\udb40\\udc01"), ("soft\u{AD}hyphen", "soft\\u00adhyphen"),
    ])
    func `no character controls the terminal`(text: String, plain: String) {
        #expect(PlainText.of(text) == plain)
    }

    @Test(arguments: [
        "e\u{301}", "👩\u{200D}👩\u{200D}👧", "❤\u{FE0F}", "🇨🇳", "👍🏽", "می\u{200C}خواهم", "नि", "表示",
        "🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}",
    ])
    func `emoji and words stay as they are`(text: String) {
        #expect(PlainText.of(text) == text)
    }

    @Test func `no text has a control character or a control of direction afterwards`() {
        for value in (0...0x2FFF as ClosedRange<UInt32>).compactMap(Unicode.Scalar.init) {
            let plain = PlainText.of("a\(value)b \(value)")
            for scalar in plain.unicodeScalars {
                #expect(scalar.properties.generalCategory != .control)
                #expect(!(0x202A...0x202E).contains(scalar.value) && !(0x2066...0x2069).contains(scalar.value))
                #expect(![0x200B, 0x200E, 0x200F, 0x61C].contains(scalar.value))
            }
        }
    }

    @Test func `JSON in a cell stays JSON`() throws {
        let value = try #require(JSONValue(text: #"{"a":["x\u202ey","\n"]}"#))
        #expect(JSONValue(text: ValueText.inline(value)) == value)
    }
}
