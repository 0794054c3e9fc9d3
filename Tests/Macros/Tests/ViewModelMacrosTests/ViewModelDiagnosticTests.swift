import Testing

@Suite struct `Classes that @ViewModel refuses` {
    @Test(arguments: ["struct", "actor"]) func `What could be a class becomes one`(kind: String) {
        expectComplaint(
            "@ViewModel\n\(kind) Calculator {\n}",
            "@ViewModel applies to a final class; write `final class Calculator`",
            at: 2,
            1,
            fix: "write `final class Calculator`",
            fixed: "@ViewModel\nfinal class Calculator {\n}"
        )
    }

    @Test func `An enum is no ViewModel`() {
        expectComplaint(
            "@ViewModel\nenum Calculator {\n}",
            "@ViewModel applies to a final class; write `final class Calculator`",
            at: 2,
            1
        )
    }

    @Test func `A class must be final`() {
        expectComplaint(
            "@ViewModel\npublic class Calculator {\n}",
            "A ViewModel is a final class; write `final class Calculator`",
            at: 2,
            8,
            fix: "write `final class Calculator`",
            fixed: "@ViewModel\npublic final class Calculator {\n}"
        )
    }

    @Test func `A generic class has no single contract`() {
        expectComplaint(
            "@ViewModel\nfinal class Calculator<Number> {\n}",
            "A ViewModel has one contract, so it cannot be generic; write `final class Calculator` and pass the varying part "
                + "to its initialiser",
            at: 2,
            23
        )
    }

    @Test(arguments: ["name", "\"a\\(b)\"", "\"a\" + \"b\""]) func `A name must be a literal`(name: String) {
        expectComplaint(
            "@ViewModel(\(name))\nfinal class Calculator {\n}",
            "The name is known when the code is compiled; write a string literal such as @ViewModel(\"calculator\")",
            at: 1,
            12
        )
    }

    @Test(arguments: ["", "1a", "a b", "a.b", "ä", String(repeating: "a", count: 65)])
    func `A name must fit the wire`(name: String) {
        expectComplaint(
            "@ViewModel(\"\(name)\")\nfinal class Calculator {\n}",
            "`\(name)` cannot be a name on the wire; write @ViewModel(\"…\") with a letter and up to 63 letters, digits, "
                + "`_` or `-` after it",
            at: 1,
            12
        )
    }

    @Test(arguments: ["rpc", "session", "viewModel"]) func `A name must not be the protocol's`(name: String) {
        expectComplaint(
            "@ViewModel(\"\(name)\")\nfinal class Calculator {\n}",
            "The protocol keeps the name `\(name)` for itself; write @ViewModel(\"…\") with another one",
            at: 1,
            12
        )
    }

    @Test func `A class whose own name does not do needs another`() {
        expectComplaint(
            "@ViewModel\nfinal class Session {\n}",
            "The protocol keeps the name `session` for itself; write @ViewModel(\"…\") with another one",
            at: 2,
            13
        )
        expectComplaint(
            "@ViewModel\nfinal class Größe {\n}",
            "`größe` cannot be a name on the wire; write @ViewModel(\"…\") with a letter and up to 63 letters, digits, "
                + "`_` or `-` after it",
            at: 2,
            13
        )
    }
}

@Suite struct `Faces that @ViewModel refuses` {
    @Test(arguments: [("Inputs", "inputs"), ("Outputs", "outputs"), ("Actions", "actions"), ("Children", "children")])
    func `A struct needs its property`(type: String, property: String) {
        expectComplaint(
            """
            @ViewModel
            final class Calculator {
                struct \(type) {
                }
                init() {
                }
            }
            """,
            "`\(type)` needs a stored property; write `let \(property): \(type)`",
            at: 3,
            12,
            fix: "write `let \(property): \(type)`",
            fixed: """
                @ViewModel
                final class Calculator {
                    struct \(type) {
                    }
                    let \(property): \(type)
                    init() {
                    }
                }
                """
        )
    }

    @Test(arguments: [("Inputs", "inputs"), ("Outputs", "outputs"), ("Actions", "actions"), ("Children", "children")])
    func `A property needs its struct`(type: String, property: String) {
        expectComplaint(
            "@ViewModel\nfinal class Calculator {\n    let \(property): Int\n}",
            "`\(property)` is described by a nested struct; write `struct \(type) { … }` inside the class, or give the "
                + "property another name",
            at: 3,
            9
        )
    }

    @Test(arguments: ["class", "enum"]) func `A group is a struct`(kind: String) {
        expectComplaint(
            "@ViewModel\nfinal class Calculator {\n    \(kind) Inputs {\n    }\n    let inputs = Inputs()\n}",
            "`Inputs` is a struct; write `struct Inputs`",
            at: 3,
            5,
            fix: "write `struct Inputs`",
            fixed: "@ViewModel\nfinal class Calculator {\n    struct Inputs {\n    }\n    let inputs = Inputs()\n}"
        )
    }

    @Test func `A group is no other type's name`() {
        expectComplaint(
            "@ViewModel\nfinal class Calculator {\n    typealias Inputs = Keys\n    let inputs = Inputs()\n}",
            "`Inputs` is a struct; write `struct Inputs`",
            at: 3,
            5
        )
    }

    @Test func `Arguments are a struct`() {
        expectComplaint(
            "@ViewModel\nfinal class Calculator {\n    enum Arguments {\n    }\n}",
            "`Arguments` is a struct; write `struct Arguments`",
            at: 3,
            5,
            fix: "write `struct Arguments`",
            fixed: "@ViewModel\nfinal class Calculator {\n    struct Arguments {\n    }\n}"
        )
    }

    @Test func `A group's property is a let`() {
        expectComplaint(
            "@ViewModel\nfinal class Calculator {\n    struct Inputs {\n    }\n    var inputs = Inputs()\n}",
            "`inputs` is stored and never changes; write `let inputs: Inputs`",
            at: 5,
            5,
            fix: "write `let`",
            fixed: "@ViewModel\nfinal class Calculator {\n    struct Inputs {\n    }\n    let inputs = Inputs()\n}"
        )
    }

    @Test func `A group's property is stored`() {
        expectComplaint(
            "@ViewModel\nfinal class Calculator {\n    struct Inputs {\n    }\n    var inputs: Inputs { Inputs() }\n}",
            "`inputs` is stored and never changes; write `let inputs: Inputs`",
            at: 5,
            5
        )
    }

    @Test func `A group's property has the group's type`() {
        expectComplaint(
            "@ViewModel\nfinal class Calculator {\n    struct Inputs {\n    }\n    let inputs: Inputs?\n}",
            "`inputs` holds the nested struct; write `let inputs: Inputs`",
            at: 5,
            17
        )
    }
}

@Suite struct `Members that @ViewModel refuses` {
    /// A ViewModel with one line in a group.
    private func viewModel(_ line: String, in group: String = "Outputs") -> String {
        """
        @ViewModel
        final class Calculator {
            struct \(group) {
                \(line)
            }
            let \(group.lowercased()): \(group)
        }
        """
    }

    @Test func `A member is a let`() {
        expectComplaint(
            viewModel("var led: Output<String>"),
            "A member never changes, only its value does; write `let led`",
            at: 4,
            9,
            fix: "write `let`",
            fixed: viewModel("let led: Output<String>")
        )
    }

    @Test(arguments: ["var led: Output<String> { a }", "var led: Output<String> { get { a } }"])
    func `A member is stored`(line: String) {
        expectComplaint(
            viewModel(line),
            "`Outputs` has stored members only; write `let led` and set it in the initialiser",
            at: 4,
            13
        )
    }

    @Test func `A member is no static one`() {
        expectComplaint(
            viewModel("static let led = Output<String>()"),
            "`Outputs` has members of its instances only; write `let`, or move this out of `Outputs`",
            at: 4,
            9
        )
    }

    @Test func `A member is not private`() {
        expectComplaint(
            viewModel("private let led: Output<String>"),
            "Clients see each member of `Outputs`; write it without `private`, or move it to the class",
            at: 4,
            9
        )
    }

    @Test(arguments: ["func reset() {}", "subscript(index: Int) -> Int { 1 }"])
    func `A group has no functions`(line: String) {
        expectComplaint(
            viewModel(line),
            "`Outputs` has only `let` members, each an `Output`, a `ListOutput` or an `Event`; write this in the class",
            at: 4,
            9
        )
    }

    @Test func `A member is not there under a condition`() {
        expectComplaint(
            viewModel("#if DEBUG\n        let led: Output<String>\n        #endif"),
            "@ViewModel cannot know which branch of `#if` applies; write the members of `Outputs` without it",
            at: 4,
            9
        )
    }

    @Test func `A member is not part of a tuple`() {
        expectComplaint(
            viewModel("let (a, b) = pair"),
            "Each member of `Outputs` has its own name and type; write one `let` for each",
            at: 4,
            13
        )
    }

    @Test(arguments: ["Int", "Input<Int>", "Output<Int>?", "[Output<Int>]"])
    func `An output has an output's type`(type: String) {
        expectComplaint(
            viewModel("let led: \(type)"),
            "Each member of `Outputs` is an `Output`, a `ListOutput` or an `Event`; write `let led: Output<Value>` or "
                + "`let led: ListOutput<Value>` or `let led: Event<Value>`",
            at: 4,
            18
        )
    }

    @Test(arguments: ["Output<Key>()", "Output()", "ViewModelKit.Output<Key>()", "1", "\"text\"", "[]", "{ 1 }"])
    func `An input has an input's value`(value: String) {
        expectComplaint(
            viewModel("let press = \(value)", in: "Inputs"),
            "Each member of `Inputs` is an `Input`; write `let press: Input<Value>`",
            at: 4,
            21
        )
    }

    @Test func `An action has an action's type`() {
        expectComplaint(
            viewModel("let undo: Input<Void>", in: "Actions"),
            "Each member of `Actions` is an `Action`; write `let undo: Action<Parameters, Result>`",
            at: 4,
            19
        )
    }

    @Test(arguments: [("Led", "Led"), ("led_line", "led_line"), ("größe", "größe"), ("`two words`", "two words")])
    func `A member's name fits the wire`(identifier: String, name: String) {
        expectComplaint(
            viewModel("let \(identifier): Output<Int>"),
            "`\(name)` cannot be a member's name on the wire; write a lower-case letter and then only letters and digits "
                + "without accents",
            at: 4,
            13
        )
    }

    @Test func `An input and an action do not share a name`() {
        expectComplaint(
            """
            @ViewModel
            final class Calculator {
                struct Inputs {
                    let clear = Input<Void>()
                }
                struct Actions {
                    let clear: Action<Void, Void>
                }
                let inputs = Inputs(), actions: Actions
            }
            """,
            "`Inputs` has a member `clear`, too, and both are called as methods; write another name",
            at: 7,
            13
        )
    }

    @Test func `An output and a child do not share a name`() {
        expectComplaint(
            """
            @ViewModel
            final class Calculator {
                struct Outputs {
                    let header: Output<String>
                }
                struct Children {
                    let header: Header
                }
                let outputs: Outputs, children: Children
            }
            """,
            "`Outputs` has a member `header`, too, and both are parts of what clients see; write another name",
            at: 7,
            13
        )
    }

    @Test(arguments: ["let led: Output<String>", "struct Row {\n        }"])
    func `A policy is an action's`(line: String) {
        // The rest of the contract is written all the same: the policy stands for itself.
        expectPolicyComplaint("struct Outputs {\n    @Policy(.latest) \(line)\n}", at: 2, 5)
    }

    @Test func `A policy is no action's result's`() {
        expectPolicyComplaint("struct Actions {\n    @Policy(.latest) func undo() {\n    }\n}", at: 2, 5)
        expectPolicyComplaint("@Policy(.latest) let undo: Action<Void, Void>", at: 1, 1)
    }

    @Test(arguments: [
        ("struct Actions {\n    @Volatile let undo: Action<Void, Void>\n}", 2, 5),
        ("struct Outputs {\n    @Volatile func led() {}\n}", 2, 5),
        ("@Volatile @Field var led = 1", 1, 1),
        ("@Volatile @Input func led() {}", 1, 1),
        ("@Volatile var led = 1", 1, 1),
    ])
    func `@Volatile away from an output`(source: String, line: Int, column: Int) {
        let complaint = "@Volatile applies to an output; write it before @Output, or on a `let` in the struct `Outputs`"
        #expect(refusals(of: source).contains("\(line):\(column): \(complaint) of a ViewModel"))
    }

    private func expectPolicyComplaint(
        _ source: String,
        at line: Int,
        _ column: Int,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        expectComplaint(
            source,
            "@Policy applies to an action; write it on a `let` in the struct `Actions` of a ViewModel",
            at: line,
            column,
            sourceLocation: sourceLocation
        )
    }
}
