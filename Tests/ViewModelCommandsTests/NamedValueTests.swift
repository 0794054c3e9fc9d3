import Testing

@testable import ViewModelCommands

@Suite struct NamedValueTests {
    @Test(arguments: [
        ("account=a@b", NamedValue(name: "account", source: .text("a@b"))),
        ("text=a=b", NamedValue(name: "text", source: .text("a=b"))),
        ("text=", NamedValue(name: "text", source: .text(""))),
        ("rows:=[1,2]", NamedValue(name: "rows", source: .json("[1,2]"))),
        ("_meta:={\"deadline\":5}", NamedValue(name: "_meta", source: .json("{\"deadline\":5}"))),
        ("password=@-", NamedValue(name: "password", source: .standardInput)),
        ("password=@/run/secret", NamedValue(name: "password", source: .file("/run/secret"))),
        ("text=@", NamedValue(name: "text", source: .text("@"))),
        ("7", NamedValue(name: nil, source: .text("7"))),
        ("=", NamedValue(name: nil, source: .text("="))),
        ("1+1=2", NamedValue(name: nil, source: .text("1+1=2"))),
        ("a b=c", NamedValue(name: nil, source: .text("a b=c"))),
        ("@-", NamedValue(name: nil, source: .text("@-"))),
        ("@/etc/hostname", NamedValue(name: nil, source: .text("@/etc/hostname"))),
    ])
    func `a word is a name and a source, or a value alone`(word: String, value: NamedValue) {
        #expect(NamedValue(word) == value)
    }

    @Test(arguments: ["\u{301}a", "\u{301}", "\u{200D}x", "\u{1F3FD}", "=\u{301}"])
    func `a text may begin with a mark that Swift takes for a part of the sign before it`(text: String) {
        func texts(_ word: String) -> [[Unicode.Scalar]] {
            let value = NamedValue(word)
            return [value.name ?? "", "\(value.source)"].map { Array($0.unicodeScalars) }
        }
        #expect(texts("a=\(text)") == ["a", "\(NamedValue.Source.text(text))"].map { Array($0.unicodeScalars) })
        #expect(texts("a:=\(text)") == ["a", "\(NamedValue.Source.json(text))"].map { Array($0.unicodeScalars) })
        #expect(texts("a=@\(text)") == ["a", "\(NamedValue.Source.file(text))"].map { Array($0.unicodeScalars) })
    }
}
