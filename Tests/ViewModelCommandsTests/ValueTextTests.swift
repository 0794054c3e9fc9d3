import Testing
import ViewModelClient

@testable import ViewModelCommands

@Suite struct ValueTextTests {
    private func block(_ text: String) throws -> String {
        ValueText.block(try #require(JSONValue(text: text)))
    }

    @Test func `a scalar is written as it is, null not at all`() throws {
        #expect(try block(#""two\nlines""#) == "two lines")
        #expect(try block("1.50") == "1.50")
        #expect(try block("null").isEmpty)
    }

    @Test func `an object is a table, its lists are tables below`() throws {
        #expect(
            try block(#"{"value":1,"rows":[{"text":"a","id":1},{"id":2,"more":true}]}"#) == """
                +-------+-------+
                | name  | value |
                +-------+-------+
                | value | 1     |
                +-------+-------+

                rows
                +----+------+------+
                | id | more | text |
                +----+------+------+
                | 1  |      | a    |
                | 2  | true |      |
                +----+------+------+

                """
        )
    }
}
