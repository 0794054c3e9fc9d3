import Testing
import ViewModelKit

@Suite struct `A refusal of a value` {
    @Test func `shows the value as JSON text`() {
        #expect(InvalidValue(expected: "a row", value: 5).found == "5")
        #expect(InvalidValue(expected: "a row", value: "5").found == #""5""#)
        #expect(InvalidValue(expected: "a row", value: [1.5, nil]).found == "[1.5,null]")
        #expect(InvalidValue(expected: "a row", value: String(repeating: "é", count: 50)).found.count == 41)
        #expect(
            InvalidValue(path: "/id", expected: "a row", value: "b", suggestions: ["a"])
                == InvalidValue(path: "/id", expected: "a row", found: #""b""#, suggestions: ["a"])
        )
    }
}
