import ReferenceViewModels
import Testing

/// Some keys (`u` for undo, `c` for clear), the display after them and the operations, the newest first.
struct CalculatorCase: CustomTestStringConvertible, Sendable {
    let keys: String
    let led: String
    let rows: [String]

    init(_ keys: String, _ led: String, _ rows: String...) {
        self.keys = keys
        self.led = led
        self.rows = rows
    }

    var testDescription: String { keys }

    func check(sourceLocation: SourceLocation = #_sourceLocation) throws {
        let brain = try CalculatorBrain(keys)
        #expect(brain.led == led, "\(keys)", sourceLocation: sourceLocation)
        #expect(brain.operations.map(\.text) == rows, "\(keys)", sourceLocation: sourceLocation)
    }
}

struct CalculatorBrainTests {
    @Test func `a new calculator shows 0 and has nothing to undo or clear`() {
        let brain = CalculatorBrain()
        #expect(brain.led == "0")
        #expect(brain.operations.isEmpty)
        #expect(!brain.canUndo)
        #expect(!brain.canClear)
    }

    @Test func `there are sixteen keys, in the order in which they are named`() {
        #expect(Key.allCases.map(\.rawValue).joined() == "0123456789.+-*/=")
    }

    // Examples of each rule. `CalculatorOracleTests` compares random keys with an independent calculator.
    @Test(arguments: [
        // The display shows a number as it is typed, up to 16 digits.
        CalculatorCase("007", "7"), CalculatorCase(".5", "0.5"), CalculatorCase("1.2.3", "1.23"),
        CalculatorCase("1.50", "1.50"), CalculatorCase("12345678901234567", "1234567890123456"),
        CalculatorCase("1234567890123456.7", "1234567890123456."),
        CalculatorCase("0.12345678901234567", "0.1234567890123456"),
        // An operator or = completes what is pending, from left to right.
        CalculatorCase("12 + 3", "3", "12"), CalculatorCase("2 + 3 * 4 =", "20", "* 4", "+ 3", "2"),
        CalculatorCase("0.1 + 0.2 =", "0.3", "+ 0.2", "0.1"),
        CalculatorCase("2 / 3 =", "0.6666666666666667", "/ 3", "2"),
        CalculatorCase("1.50 + 007 =", "8.5", "+ 7", "1.5"), CalculatorCase("8 + . =", "8", "+ 0", "8"),
        CalculatorCase("1 / 10000000 =", "1e-7", "/ 10000000", "1"),
        CalculatorCase("9999999999999999 + 1 =", "1e16", "+ 1", "9999999999999999"),
        // An operator before any digit takes 0 as the first number, and 0 has no sign.
        CalculatorCase("- 5 =", "-5", "- 5", "0"), CalculatorCase("- 5 * 0 =", "0", "* 0", "- 5", "0"),
        // An operator right after an operator replaces it.
        CalculatorCase("6 + * 7 =", "42", "* 7", "6"), CalculatorCase("6 * 7 + -", "42", "* 7", "6"),
        // = makes a number the result, drops a waiting operator and else does nothing.
        CalculatorCase("0 =", "0"), CalculatorCase("5 ==", "5", "5"), CalculatorCase("5 + = 3 =", "3", "3", "5"),
        CalculatorCase("5 = 0 =", "0", "0", "5"),
        // After = an operator goes on and a digit begins anew.
        CalculatorCase("2 + 3 = * 4 =", "20", "* 4", "+ 3", "2"), CalculatorCase("2 + 3 = 7", "7", "+ 3", "2"),
        // Undo drops what is typed and pending and shows the result of the rows left.
        CalculatorCase("2 + 3 = uu", "0"), CalculatorCase("2 + 3 + 4 u", "2", "2"),
        CalculatorCase("2 + 3 + u 5 =", "5", "5", "2"),
        CalculatorCase("2 + 3 = 7 * 2 = uu * 4 =", "20", "* 4", "+ 3", "2"),
        // A division by zero keeps the running result, and the operator that caused it waits.
        CalculatorCase("8 / 0 = + 1 =", "9", "+ 1", "8"), CalculatorCase("8 / 0 = 1 =", "1", "1", "8"),
        CalculatorCase("8 / 0.00 * 2 =", "16", "* 2", "8"), CalculatorCase("0 / 0 =", "0", "0"),
    ])
    func `keys show a number and the operations`(example: CalculatorCase) throws {
        try example.check()
    }

    @Test func `undo with no row leaves alone what is typed`() throws {
        #expect(try CalculatorBrain("12u").led == "12")
    }

    @Test func `what has no result is told once, by the key that asked for it`() throws {
        var brain = CalculatorBrain()
        #expect(try brain.type("8 / 0") == nil)
        #expect(brain.press(.add) == .divisionByZero)
        #expect(brain.press(.equals) == nil)
        #expect(try brain.type("/ 0 =") == .divisionByZero)
        #expect(CalculatorProblem.divisionByZero.message == "Cannot divide by zero")
    }

    @Test func `a result of 1e100 is an overflow that leaves the running result, and one below is not`() throws {
        var brain = try CalculatorBrain("10" + String(repeating: "* 1000000000000000", count: 6) + "* 10000000 =")
        #expect(brain.led == "1e98")
        #expect(try brain.type("* 10 =") == nil)
        #expect(brain.led == "1e99")
        let rows = brain.operations
        #expect(try brain.type("* 10 -") == .overflow)
        #expect(brain.led == "1e99")
        #expect(brain.operations == rows)
        #expect(try brain.type("1 =") == nil)
        #expect(brain.operations.first?.text == "- 1")
        #expect(try brain.type("* 9.999999999999999 =") == nil)
        #expect(brain.led == "9.999999999999999e99")
        #expect(try brain.type("* 1.000000000000001 =") == .overflow)
    }

    @Test func `a result below 1e-100 is 0 and no problem`() throws {
        var brain = try CalculatorBrain("10" + String(repeating: "/ 1000000000000000", count: 6) + "/ 100000000000 =")
        #expect(brain.led == "1e-100")
        #expect(try brain.type("/ 2 =") == nil)
        #expect(brain.led == "0")
        #expect(try brain.type("u * .1 =") == nil)
        #expect(brain.led == "0")
    }

    @Test(
        arguments: [
            ("", false), ("0", false), ("000", false), ("=", false), ("0=", false), ("c", false), ("u", false),
            ("0.", true), (".", true), ("7", true), ("+", true), ("5=", true), ("5=0", true), ("8/0=", true),
            ("5=u", false), ("5+3u", false), ("+u", false), ("12+3c", false), ("8/0=c", false), ("7c0", false),
        ]
    )
    func `clear is possible unless all is initial`(keys: String, canClear: Bool) throws {
        #expect(try CalculatorBrain(keys).canClear == canClear)
    }

    @Test func `undo is possible while there is an operation`() throws {
        #expect(try !CalculatorBrain("12").canUndo)
        #expect(try CalculatorBrain("12 +").canUndo)
        #expect(try !CalculatorBrain("12 + u").canUndo)
    }

    @Test func `clear returns to the initial state`() throws {
        for keys in ["12", "12 + 3", "12 + 3 =", "12 + 3 = 4 -", "8 / 0 +"] {
            var brain = try CalculatorBrain(keys)
            brain.clear()
            #expect(brain.led == "0")
            #expect(brain.operations.isEmpty)
            #expect(try brain.type("0 =") == nil)
            #expect(!brain.canClear)
        }
    }

    @Test func `ids ascend from 1 and are never used twice, neither after undo nor after clear`() throws {
        var brain = try CalculatorBrain("1 + 2 + 3 =")
        #expect(brain.operations.map(\.id) == [3, 2, 1])
        _ = try brain.type("u + 4 =")
        #expect(brain.operations.map(\.id) == [4, 2, 1])
        _ = try brain.type("/ 0 = + 1 =")
        #expect(brain.operations.map(\.id) == [5, 4, 2, 1])
        _ = try brain.type("c 9 =")
        #expect(brain.operations.map(\.id) == [6])
    }

    @Test func `a window of the operations is the same as that part of all`() throws {
        let brain = try CalculatorBrain("1 + 2 * 3 - 4 = 5 =")
        #expect(brain.operationCount == 5)
        #expect((0..<5).map(brain.operation(at:)) == brain.operations)
        #expect(brain.operation(at: 0) == CalculatorOperation(id: 5, text: "5"))
    }
}
