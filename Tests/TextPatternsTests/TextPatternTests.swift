import Foundation
import JSONRPC
import Testing

@testable import TextPatterns

/// The texts in which Node finds patterns, from the file that `generate_patterns.js` writes.
private struct Vectors: Decodable {
    struct Entry: Decodable, CustomTestStringConvertible {
        let pattern: String
        let matches: [String]
        let others: [String]

        var testDescription: String { pattern }
    }

    let patterns: [Entry]
    let refused: [String]

    static let all = Result {
        let file = try #require(
            Bundle.module.url(forResource: "patterns", withExtension: "json", subdirectory: "Vectors")
        )
        // Foundation's reader drops U+FEFF.
        return try [UInt8](Data(contentsOf: file)).withUnsafeBytes {
            try JSONValueDecoder.decode(Vectors.self, from: $0)
        }
    }
}

@Suite struct `A pattern` {
    @Test(arguments: try Vectors.all.get().patterns)
    fileprivate func `occurs in the texts in which a regular expression of ECMAScript occurs`(
        entry: Vectors.Entry
    ) throws {
        let pattern = try TextPattern(entry.pattern)
        for text in entry.matches { #expect(pattern.occurs(in: text), "\(text.debugDescription)") }
        for text in entry.others { #expect(!pattern.occurs(in: text), "\(text.debugDescription)") }
    }

    @Test(arguments: try Vectors.all.get().refused)
    func `is refused with another syntax, and with what is not supported`(text: String) {
        #expect(throws: TextPattern.Fault.self) { try TextPattern(text) }
    }

    @Test(arguments: [
        ("(a)\\1", true), ("(?=a)", true), ("(?<!a)b", true), ("(?i)a", true), ("\\p{Script=Greek}", true),
        ("a{1000000}", true), ("[a", false), ("a**", false), ("\\q", false), ("(a", false),
    ])
    func `says whether another implementation may know it`(text: String, isUnsupported: Bool) {
        #expect { try TextPattern(text) } throws: { ($0 as? TextPattern.Fault)?.isUnsupported == isUnsupported }
    }

    @Test(arguments: [
        "a{2000}", "((a{100}){100}){100}", "((((a{99}){99}){99}){99}){99}", "a{1,999999999999999999999}",
        "(|){1000000}", "(^){9999}", "((a*)*|(b{50}){50})",
    ])
    func `above the largest size is refused before it is built`(text: String) {
        #expect { try TextPattern(text) } throws: { "\($0)" == "it has more than 2000 states" }
    }

    @Test func `may be as large as its limit`() throws {
        let pattern = try TextPattern("^ba{0,998}$")
        #expect(pattern.size == TextPattern.largestSize)
        #expect(pattern.occurs(in: "b" + String(repeating: "a", count: 998)))
        #expect(!pattern.occurs(in: "b" + String(repeating: "a", count: 999)))
    }

    @Test func `with deep groups does not use the stack up`() {
        let nested = String(repeating: "(", count: 100_000) + String(repeating: ")", count: 100_000)
        #expect { try TextPattern(nested) } throws: { "\($0)" == "its groups are nested too deeply" }
    }

    @Test func `that repeats nothing a billion times is empty`() throws {
        #expect(try TextPattern("^(?:){1000000000}$").occurs(in: ""))
    }

    // A backtracking search would not end.
    @Test(arguments: ["^(a+)+$", "^(a|a)*$", "(a*)*b", "(?:a?){100}a{100}b", "(x+x+)+y|a[0-9]*b"])
    func `with nested repetitions reads each character once`(text: String) throws {
        let pattern = try TextPattern(text)
        #expect(!pattern.occurs(in: String(repeating: "a", count: 2000) + "!"))
    }

    @Test func `occurs in no text that would take too many steps`() throws {
        let pattern = try TextPattern("a{1000}|b")
        #expect(pattern.longestText == (1 << 24) / pattern.size)
        #expect(pattern.occurs(in: "b"))
        #expect(!pattern.occurs(in: String(repeating: "b", count: pattern.longestText + 1)))
        let longest = "b" + String(repeating: "é", count: pattern.longestText - 1)
        #expect(pattern.occurs(in: longest), "code points, not bytes")
    }
}
