import ReferenceViewModels
import Testing

struct DecimalNumberTests {
    @Test(
        arguments: [
            ("0", "0"), ("-0", "0"), ("0.000", "0"), ("0e50", "0"), ("7", "7"), ("007", "7"), ("-7", "-7"),
            ("1.50", "1.5"), ("5.", "5"), ("120", "120"), ("0.1", "0.1"), ("-0.05", "-0.05"),
            ("1234567890.123456", "1234567890.123456"), ("9999999999999999", "9999999999999999"),
            ("1000000000000000", "1000000000000000"), ("10000000000000000", "1e16"),
            ("123456789012345600000", "1.234567890123456e20"), ("0.000001", "0.000001"),
            ("0.0000012", "0.0000012"), ("0.0000009999", "9.999e-7"), ("0.0000001", "1e-7"),
            ("-0.000000125", "-1.25e-7"), ("1.000000000000000000000000", "1"), ("12e-3", "0.012"),
            ("1e-100", "1e-100"), ("-9.999999999999999e99", "-9.999999999999999e99"),
        ]
    )
    func `a number is shown without trailing zeros, and with an exponent where it is very large or small`(
        text: String,
        shown: String
    ) throws {
        let number = try #require(DecimalNumber(text))
        #expect(number.description == shown)
        #expect(DecimalNumber(shown) == number)
    }

    @Test(
        arguments: [
            "", "-", "+1", ".", ".5", "1..2", "1.2.3", " 1", "1 ", "a", "1e", "e5", "1e1.5", "--1", "٣", "1e1e1",
            "12345678901234567", "1.0000000000000001", "1e100", "9e-101", "1e9999999999999999999",
            "1e-9223372036854775808", "1e1001", "infinity", "nan",
        ]
    )
    func `a text that is no number, or none that is representable exactly, is refused`(text: String) {
        #expect(DecimalNumber(text) == nil)
    }

    @Test(
        arguments: [
            ("0.1", "+", "0.2", "0.3"), ("1", "-", "0.9", "0.1"), ("1", "/", "3", "0.3333333333333333"),
            ("2", "/", "3", "0.6666666666666667"), ("-2", "/", "3", "-0.6666666666666667"),
            ("1", "-", "1", "0"), ("-1", "+", "1", "0"), ("-1", "*", "0", "0"), ("0", "/", "-5", "0"),
            ("0", "-", "0", "0"),
            // Exactly half a unit goes away from zero, a little less does not.
            ("9999999999999998", "+", "0.5", "9999999999999999"),
            ("-9999999999999998", "-", "0.5", "-9999999999999999"),
            ("9999999999999998", "+", "0.4999999999999999", "9999999999999998"),
            ("9999999999999999", "-", "0.5", "9999999999999999"),
            ("9999999999999999", "-", "0.5000000000000001", "9999999999999998"),
            ("9999999999999999", "+", "0.5", "1e16"),
            // Rounding to 17 digits first would give a half, and then a unit too much.
            ("1000000000000000", "+", "0.4999999999999999", "1000000000000000"),
            ("7.745029148305021", "*", "69", "534.4070112330464"),
            ("1.78674134550079", "/", "97", "0.01842001387114216"), ("1e16", "-", "1", "9999999999999999"),
            ("1e16", "-", "0.4", "1e16"), ("1e16", "-", "0.5", "1e16"),
            ("1e16", "-", "0.6", "9999999999999999"),
            // Far apart: the small one decides only a half.
            ("1e99", "+", "1e-100", "1e99"), ("1e99", "-", "1e-100", "1e99"), ("1e-100", "-", "1e99", "-1e99"),
            ("1e22", "-", "9999999999999999e-16", "1e22"), ("1e60", "-", "5e43", "1e60"),
            ("1e60", "-", "5.000000000000001e43", "9.999999999999999e59"),
            // The ends of the range.
            ("9.999999999999999e99", "+", "4e83", "9.999999999999999e99"),
            ("9.999999999999999e99", "+", "5e83", "overflow"),
            ("-9.999999999999999e99", "-", "5e83", "overflow"), ("1e50", "*", "1e50", "overflow"),
            ("1e50", "*", "-1e50", "overflow"), ("1e50", "*", "1e49", "1e99"),
            ("1e50", "/", "1e-50", "overflow"), ("1e-50", "*", "1e-50", "1e-100"),
            ("1e-50", "*", "-9.999999999999999e-51", "0"), ("1e-100", "/", "2", "0"),
            ("1e-100", "-", "1.1e-100", "0"), ("1.000000000000001e-100", "/", "1.000000000000002", "0"),
            ("9.999999999999999e-51", "/", "9.999999999999999e49", "1e-100"), ("1", "/", "0", "divisionByZero"),
            ("0", "/", "0", "divisionByZero"),
        ]
    )
    func `a result is the exact one, rounded once`(left: String, key: String, right: String, result: String) throws {
        #expect(try outcome(left, key, right) == result)
    }

    @Test func `there is one zero, without a sign`() throws {
        let zero = DecimalNumber.zero
        #expect(-zero == zero)
        #expect(DecimalNumber("-0.0") == zero)
        #expect(try zero - zero == zero)
        #expect(try #require(DecimalNumber("-5")) * zero == zero)
    }

    @Test func `arithmetic agrees with Python's decimal module`() throws {
        let vectors = try CalculatorVectors.load()
        print("arithmetic vectors of seed \(vectors.seed)")
        #expect(vectors.arithmetic.count == 840)
        for vector in vectors.arithmetic {
            try #require(vector.count == 4)
            #expect(try outcome(vector[0], vector[1], vector[2]) == vector[3], "\(vector.joined(separator: " "))")
        }
    }

    private func outcome(_ left: String, _ key: String, _ right: String) throws -> String {
        let left = try #require(DecimalNumber(left))
        let right = try #require(DecimalNumber(right))
        do throws(CalculatorProblem) {
            switch key {
            case "+": return try (left + right).description
            case "-": return try (left - right).description
            case "*": return try (left * right).description
            default: return try (left / right).description
            }
        } catch {
            return error.code
        }
    }
}
