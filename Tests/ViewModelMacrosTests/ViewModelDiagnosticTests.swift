import Testing

@Suite struct `Classes that @ViewModel refuses` {
    @Test(
        arguments: Mistake.table(
            #"""
            @ViewModel
            enum Calculator {
            ^ @ViewModel applies to a final class; write `final class Calculator`
            }

            @ViewModel
            struct Calculator {
            ^ @ViewModel applies to a final class; write `final class Calculator`
            }
            fix: write `final class Calculator`
            @ViewModel
            final class Calculator {
            }

            @ViewModel
            actor Calculator {
            ^ @ViewModel applies to a final class; write `final class Calculator`
            }
            fix: write `final class Calculator`
            @ViewModel
            final class Calculator {
            }

            @ViewModel
            public class Calculator {
                   ^ A ViewModel is a final class; write `final class Calculator`
            }
            fix: write `final class Calculator`
            @ViewModel
            public final class Calculator {
            }

            @ViewModel
            final class Calculator<Number> {
                                  ^ A ViewModel has one contract, so it cannot be generic; write
            | `final class Calculator` and pass the varying part to its initialiser
            }

            @ViewModel
            final class Session {
                        ^ The protocol keeps the name `session` for itself; write @ViewModel("…") with another one
            }

            @ViewModel
            final class Größe {
                        ^ `größe` cannot be a name on the wire; write @ViewModel("…") with a letter and up to
            | 63 letters, digits, `_` or `-` after it
            }
            """#
        )
    )
    func `the class`(mistake: Mistake) {
        expect(mistake)
    }

    /// Names as they are written, and what is wrong with them.
    private static var names: [(name: String, message: String)] {
        let literal =
            "The name is known when the code is compiled; write a string literal such as @ViewModel(\"calculator\")"
        let form =
            "cannot be a name on the wire; write @ViewModel(\"…\") with a letter and up to 63 letters, digits, `_` or `-`"
        let kept = "for itself; write @ViewModel(\"…\") with another one"
        var names = ["name", "\"a\\(b)\"", "\"a\" + \"b\""].map { (name: $0, message: literal) }
        for name in ["", "1a", "a b", "a.b", "ä", String(repeating: "a", count: 65)] {
            names.append(("\"\(name)\"", "`\(name)` \(form) after it"))
        }
        for name in ["rpc", "session", "viewModel"] {
            names.append(("\"\(name)\"", "The protocol keeps the name `\(name)` \(kept)"))
        }
        return names
    }

    @Test(arguments: names)
    func `its name`(name: String, message: String) {
        expect(Mistake("@ViewModel(\(name))\n           ^ \(message)\nfinal class Calculator {\n}"))
    }
}

@Suite struct `Faces that @ViewModel refuses` {
    @Test(arguments: ["Inputs", "Outputs", "Actions", "Children"])
    func `a struct without its property, and a property without its struct`(type: String) {
        let property = type.lowercased()
        expect(
            Mistake(
                """
                @ViewModel
                final class Calculator {
                    struct \(type) {
                           ^ `\(type)` needs a stored property; write `let \(property): \(type)`
                    }
                    init() {
                    }
                }
                fix: write `let \(property): \(type)`
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
        )
        expect(
            Mistake(
                """
                @ViewModel
                final class Calculator {
                    let \(property): Int
                        ^ `\(property)` is described by a nested struct; write `struct \(type) { … }` inside the class, or
                | give the property another name
                }
                """
            )
        )
    }

    @Test(
        arguments: Mistake.table(
            in: "@ViewModel\nfinal class Calculator {\n…\n}",
            """
                class Inputs {
                ^ `Inputs` is a struct; write `struct Inputs`
                }
                let inputs = Inputs()
            fix: write `struct Inputs`
                struct Inputs {
                }
                let inputs = Inputs()

                enum Inputs {
                ^ `Inputs` is a struct; write `struct Inputs`
                }
                let inputs = Inputs()
            fix: write `struct Inputs`
                struct Inputs {
                }
                let inputs = Inputs()

                typealias Inputs = Keys
                ^ `Inputs` is a struct; write `struct Inputs`
                let inputs = Inputs()

                enum Arguments {
                ^ `Arguments` is a struct; write `struct Arguments`
                }
            fix: write `struct Arguments`
                struct Arguments {
                }

                struct Inputs {
                }
                var inputs = Inputs()
                ^ `inputs` is stored and never changes; write `let inputs: Inputs`
            fix: write `let`
                struct Inputs {
                }
                let inputs = Inputs()

                struct Inputs {
                }
                var inputs: Inputs { Inputs() }
                ^ `inputs` is stored and never changes; write `let inputs: Inputs`

                struct Inputs {
                }
                let inputs: Inputs?
                            ^ `inputs` holds the nested struct; write `let inputs: Inputs`

                struct Inputs {
                    let clear = Input<Void>()
                }
                struct Actions {
                    let clear: Action<Void, Void>
                        ^ `Inputs` has a member `clear`, too, and both are called as methods; write another name
                }
                let inputs = Inputs(), actions: Actions

                struct Outputs {
                    let header: Output<String>
                }
                struct Children {
                    let header: Header
                        ^ `Outputs` has a member `header`, too, and both are parts of what clients see; write another name
                }
                let outputs: Outputs, children: Children
            """
        )
    )
    func `groups`(mistake: Mistake) {
        expect(mistake)
    }
}

@Suite struct `Members that @ViewModel refuses` {
    @Test(
        arguments: Mistake.table(
            in: "@ViewModel\nfinal class Calculator {\n    struct Outputs {\n…\n    }\n    let outputs: Outputs\n}",
            """
                    var led: Output<String>
                    ^ A member never changes, only its value does; write `let led`
            fix: write `let`
                    let led: Output<String>

                    var led: Output<String> { a }
                        ^ `Outputs` has stored members only; write `let led` and set it in the initialiser

                    var led: Output<String> { get { a } }
                        ^ `Outputs` has stored members only; write `let led` and set it in the initialiser

                    static let led = Output<String>()
                    ^ `Outputs` has members of its instances only; write `let`, or move this out of `Outputs`

                    private let led: Output<String>
                    ^ Clients see each member of `Outputs`; write it without `private`, or move it to the class

                    func reset() {}
                    ^ `Outputs` has only `let` members, each an `Output`, a `ListOutput` or an `Event`;
            | write this in the class

                    subscript(index: Int) -> Int { 1 }
                    ^ `Outputs` has only `let` members, each an `Output`, a `ListOutput` or an `Event`;
            | write this in the class

                    #if DEBUG
                    ^ @ViewModel cannot know which branch of `#if` applies; write the members of `Outputs` without it
                    let led: Output<String>
                    #endif

                    let (a, b) = pair
                        ^ Each member of `Outputs` has its own name and type; write one `let` for each
            """
        )
    )
    func `declarations`(mistake: Mistake) {
        expect(mistake)
    }

    @Test(
        arguments: ["Int", "Input<Int>", "Output<Int>?", "[Output<Int>]"].map {
            (
                "Outputs", "let led: \($0)", 18,
                "Each member of `Outputs` is an `Output`, a `ListOutput` or an `Event`; write `let led: Output<Value>` or "
                    + "`let led: ListOutput<Value>` or `let led: Event<Value>`"
            )
        }
            + ["Output<Key>()", "Output()", "ViewModelKit.Output<Key>()", "1", "\"text\"", "[]", "{ 1 }"].map {
                (
                    "Inputs", "let press = \($0)", 21,
                    "Each member of `Inputs` is an `Input`; write `let press: Input<Value>`"
                )
            }
            + [
                (
                    "Actions", "let undo: Input<Void>", 19,
                    "Each member of `Actions` is an `Action`; write `let undo: Action<Parameters, Result>`"
                )
            ]
            + [("Led", "Led"), ("led_line", "led_line"), ("größe", "größe"), ("`two words`", "two words")].map {
                (
                    "Outputs", "let \($0): Output<Int>", 13,
                    "`\($1)` cannot be a member's name on the wire; write a lower-case letter and then only letters and "
                        + "digits without accents"
                )
            }
    )
    func `types and names`(group: String, line: String, column: Int, message: String) {
        let caret = String(repeating: " ", count: column - 1) + "^"
        expect(
            Mistake(
                "        \(line)\n\(caret) \(message)",
                in: "@ViewModel\nfinal class Calculator {\n    struct \(group) {\n…\n    }\n"
                    + "    let \(group.lowercased()): \(group)\n}"
            )
        )
    }

    // The rest of the contract is written all the same: the policy stands for itself.
    @Test(arguments: [
        "struct Outputs {\n    @Policy(.latest) let led: Output<String>\n}",
        "struct Outputs {\n    @Policy(.latest) struct Row {\n        }\n}",
        "struct Actions {\n    @Policy(.latest) func undo() {\n    }\n}",
        "@Policy(.latest) let undo: Action<Void, Void>",
    ])
    func `a policy away from an action`(source: String) {
        let complaint = "@Policy applies to an action; write it on a `let` in the struct `Actions` of a ViewModel"
        let isAlone = source.hasPrefix("@Policy")
        #expect(refusals(of: source) == ["\(isAlone ? "1:1" : "2:5"): \(complaint)"])
        #expect(expanded(source) == source.replacing("@Policy(.latest) ", with: ""))
    }

    @Test(arguments: [
        ("struct Actions {\n    @Volatile let undo: Action<Void, Void>\n}", "2:5"),
        ("struct Outputs {\n    @Volatile func led() {}\n}", "2:5"),
        ("@Volatile @Field var led = 1", "1:1"),
        ("@Volatile @Input func led() {}", "1:1"),
        ("@Volatile var led = 1", "1:1"),
    ])
    func `@Volatile away from an output`(source: String, place: String) {
        let complaint = "@Volatile applies to an output; write it before @Output, or on a `let` in the struct `Outputs`"
        #expect(refusals(of: source).contains("\(place): \(complaint) of a ViewModel"))
    }
}
