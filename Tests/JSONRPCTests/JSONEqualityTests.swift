import Testing

@testable import JSONRPC

/// JSON texts are equal if their values are.
@Suite struct JSONEqualityTests {
    @Test(arguments: [
        ("1", "1.0"), ("0", "-0.0"), ("100", "1e2"), ("1.50", "15E-1"),
        (#"{"a":1,"b":[2]}"#, #"{ "b" : [2.0], "a":1e0 }"#),
        (#""\u0041\n""#, #""A\u000a""#), (#""\ud834\udd1e""#, "\"\u{1D11E}\""), ("[ ]", "[]"), ("{ }", "{}"),
        (#"{"a":1,"a":2}"#, #"{"a":2}"#), ("[1,[true,null]]", "[1, [true , null]]"),
    ])
    func `another spelling is the same value`(_ left: String, _ right: String) {
        #expect(areEqual(left, right) && areEqual(right, left))
        #expect(JSONValue(text: left)?.hashValue == JSONValue(text: right)?.hashValue)
    }

    @Test(arguments: [
        ("1", "2"), ("1", "-1"), ("1", "\"1\""), ("[]", "{}"), ("[1]", "[1,1]"), (#"{"a":1}"#, #"{"A":1}"#),
        ("true", "false"),
        ("null", "0"), ("10", "1"), ("1e2", "1e3"), (#""é""#, "\"e\u{301}\""), (#"{"a":1}"#, #"{"a":1,"b":null}"#),
        ("12345678901234567890", "12345678901234567891"), ("9007199254740993", "9007199254740992"),
        (#""a""#, #""a\"""#), ("[1,2]", "[2,1]"),
    ])
    func `another value is another`(_ left: String, _ right: String) {
        #expect(!areEqual(left, right) && !areEqual(right, left))
    }

    private func areEqual(_ left: String, _ right: String) -> Bool {
        let isEqual = Array(left.utf8).withUnsafeBytes { left in
            Array(right.utf8).withUnsafeBytes { JSONText.areEqual(left, $0) }
        }
        #expect((JSONValue(text: left) == JSONValue(text: right)) == isEqual, "values and texts agree")
        return isEqual
    }
}
