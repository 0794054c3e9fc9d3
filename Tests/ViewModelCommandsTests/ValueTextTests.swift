import Testing
import ViewModelClient

@testable import ViewModelCommands

@Suite struct ValueTextTests {
    private func block(_ text: String, width: Int? = nil) throws -> String {
        ValueText.block(try #require(JSONValue(text: text)), width: width)
    }

    @Test func `a scalar is written as it is, null not at all`() throws {
        #expect(try block(#""two\nlines""#) == "two lines")
        #expect(try block("1.50") == "1.50")
        #expect(try block("null").isEmpty)
    }

    @Test func `an object is a table, its lists are tables below, in the order of the members`() throws {
        #expect(
            try block(#"{"value":1,"rows":[{"text":"a","id":1},{"id":2,"more":true}],"also":"x"}"#) == """
                +-------+-------+
                | name  | value |
                +-------+-------+
                | value | 1     |
                | also  | x     |
                +-------+-------+

                rows
                +------+----+------+
                | text | id | more |
                +------+----+------+
                | a    | 1  |      |
                |      | 2  | true |
                +------+----+------+

                """
        )
    }

    @Test func `a window is a table with its offset and count`() throws {
        #expect(
            try block(#"{"rows":{"offset":3,"count":100,"rows":[{"id":4}]}}"#) == """
                rows (offset 3, count 100)
                +----+
                | id |
                +----+
                | 4  |
                +----+

                """
        )
        #expect(try block(#"{"rows":{"offset":3,"count":3,"rows":[]}}"#) == "rows (offset 3, count 3)\n")
    }

    @Test func `values are cut to the terminal, and whole without one`() throws {
        let long = String(repeating: "表", count: 100)
        #expect(try block(#"{"text":"\#(long)"}"#).contains(long))
        let lines = try block(#"{"text":"\#(long)"}"#, width: 40).split(separator: "\n")
        #expect(lines.allSatisfy { DisplayWidth.of($0) <= 40 })
        #expect(lines.contains { $0.contains("表… ") })
        #expect(try block(#"["\#(long)"]"#, width: 10) == "表表表表…\n")
    }
}
