import Testing

@Suite struct `The bounds of members` {
    @Test func `stand in the contract and in the schemas of params`() {
        expectExpansion(
            of: """
                @ViewModel
                final class Lamp {
                    @Bounds(0...100) @Field var level = 50
                    @Bounds(1...)
                    @Input func blink(_ times: Int) {}
                    @Bounds("from", 0...0.5)
                    @Bounds("to", 0...1, matching: "x")
                    @Action func fade(from: Double, to: String?, _ execution: Execution) async {}
                    @Bounds(...3) @Action func name(_ text: String) -> Int { 1 }
                }
                """,
            has: #".input("level", "", .value(.init(0...100))) { $0.inputs.level }"#,
            #".output("level", "") { $0.outputs.level }"#,
            #".input("blink", "", .value(.init(1...))) { $0.inputs.blink }"#,
            #".init("from", .of(Double.self).bounded(.init(0...0.5))),"#,
            #".init("to", .of(String?.self).bounded(.init(0...1, matching: "x")), required: false),"#,
            #".action("fade", "", policy: .exclusive, .value(), .nothing) { $0.actions.fade }"#,
            #".action("name", "", policy: .exclusive, .value(.init(...3)), .value()) { $0.actions.name }"#
        )
    }

    @Test func `stand in the contract of the explicit form`() {
        expectExpansion(
            of: """
                @ViewModel
                final class Lamp {
                    struct Inputs { @Bounds(1...9) let digit = Input<Int>() }
                    struct Actions { @Bounds(...20) @Policy(.latest) let search: Action<String, Int> }
                    let inputs = Inputs(), actions: Actions
                }
                """,
            has: #".input("digit", "", .value(.init(1...9))) { $0.inputs.digit }"#,
            #".action("search", "", policy: .latest, .value(.init(...20)), .value()) { $0.actions.search }"#
        )
    }

    @Test(arguments: [
        ("@Bounds(1...9) var a = 1", "1:25: @Bounds applies to values that clients send"),
        ("@Bounds(1...9) @Output private(set) var a = 1", "1:25: @Bounds applies to values that clients send"),
        ("@Bounds(1...9) func f(_ a: Int) {}", "1:25: @Bounds applies to values that clients send"),
        (#"@Bounds("a", 1...9) @Field var a = 1"#, #"1:25: A property has one value; remove "a""#),
        ("@Bounds(1...9) @Input func f() {}", "1:25: @Bounds names a parameter of the function; the function has none"),
        (
            "@Bounds(1...9) @Input func f(a: Int, _ b: Int) {}",
            #"1:25: @Bounds names a parameter of the function; write `@Bounds("a", …)` or `@Bounds("b", …)`"#
        ),
        (#"@Bounds("c", 1...9) @Input func f(a: Int) {}"#, #"write `@Bounds("a", …)`"#),
        (#"@Bounds("a", 1...9) @Input func f(_ a: Int) {}"#, "The parameter has no label, so it is the value itself"),
        ("@Bounds(1...) @Input func f(_ a: Bool) {}", "1:25: @Bounds applies to numbers, strings and arrays; a `Bool`"),
        (#"@Bounds("b", 1...) @Input func f(a: Int, b: Date?) {}"#, "strings and arrays; a `Date` has no bounds"),
        ("@Bounds(0...1) @Field var a = false", "1:25: @Bounds applies to numbers, strings and arrays; a `Bool`"),
        (#"@Bounds(matching: "a") @Field var a: Int = 1"#, "1:43: A pattern applies to strings, not to a `Int`"),
        (
            #"@Bounds(matching: "[a-") @Field var a = """#,
            "1:43: The pattern is not a regular expression that can be checked: a class has no ]"
        ),
        (##"@Bounds(matching: #"(a)\1"#) @Field var a = """##, "can be checked: it has a back-reference"),
        (#"@Bounds(matching: "^(?!a)") @Field var a = """#, "can be checked: it has a look-around"),
        (#"@Bounds(matching: "a{5000}") @Field var a = """#, "can be checked: it has more than 2000 states"),
    ])
    func `elsewhere are refused`(line: String, says: String) {
        let found = refusals(of: "@ViewModel final class A { \(line) }").map {
            // The column is that of the attribute in the class.
            $0.replacing("1:28:", with: "1:25:").replacing("1:46:", with: "1:43:")
        }
        #expect(found.contains { $0.contains(says) }, "\(found)")
    }
}
