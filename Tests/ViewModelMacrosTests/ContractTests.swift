import Testing

@Suite struct `The contract that @ViewModel writes` {
    @Test func `All four groups and the arguments are written down`() {
        expectContract(
            """
            /// A four-function calculator
            /// with the history of its operations.
            @ViewModel
            """,
            "final class Calculator",
            """
            struct Inputs { /// One key of the keypad.
                let press = Input<Key>()
            }
            struct Outputs {
                /// What the LED line shows.
                let led: Output<String>
                let operations: ListOutput<Operation>; let hint: Event<Hint>
            }
            struct Actions {
                /// Takes the newest operation back.
                let undo: Action<Void, Void>
                @Policy(.latest) let search: Action<String, [Hit]>
            }
            struct Children {
                /// The header above.
                let header: Header
            }
            struct Arguments: Codable {}
            let inputs = Inputs(), outputs: Outputs, actions: Actions
            let children: Children
            """,
            #"""
            name: "calculator",
            description: "A four-function calculator with the history of its operations.",
            arguments: .of(Arguments.self),
            members: { members in
                members.append(.input("press", "One key of the keypad.", .value()) { $0.inputs.press })
                members.append(.output("led", "What the LED line shows.") { $0.outputs.led })
                members.append(.output("operations", "") { $0.outputs.operations })
                members.append(.output("hint", "") { $0.outputs.hint })
                members.append(.action("undo", "Takes the newest operation back.", policy: .exclusive, .nothing, .nothing) { $0.actions.undo })
                members.append(.action("search", "", policy: .latest, .value(), .value()) { $0.actions.search })
                members.append(.child("header", "The header above.") { $0.children.header })
            }
            """#
        )
    }

    @Test func `A member without a value, without params or without a result says so`() {
        expectMembers(
            """
            struct Inputs {
                let tap = Input<Void>()
                let both: Input<()>, text: Input<String> = .init()
            }
            struct Actions {
                let a: Action<Int, Swift.Void>
                let b: ViewModelKit.Action<Void, [Int]>
            }
            let inputs = Inputs(), actions: Actions
            """,
            #".input("tap", "", .nothing) { $0.inputs.tap }"#,
            #".input("both", "", .nothing) { $0.inputs.both }"#,
            #".input("text", "", .value()) { $0.inputs.text }"#,
            #".action("a", "", policy: .exclusive, .value(), .nothing) { $0.actions.a }"#,
            #".action("b", "", policy: .exclusive, .nothing, .value()) { $0.actions.b }"#
        )
    }

    @Test func `A mistake in a member is reported where the member is declared`() {
        let source = """
            @ViewModel
            final class Calculator {
                struct Inputs {
                    /// One key.
                    let press = Input<Key>()
                }
                let inputs = Inputs()
            }
            """
        let lines = expanded(source).split(separator: "\n").map { $0.drop { $0 == " " } }
        let place = lines.firstIndex(of: #"#sourceLocation(file: "Test.swift", line: 5)"#)
        let entry: Substring = #"members.append(.input("press", "One key.", .value()) { $0.inputs.press })"#
        #expect(place.map { lines[$0 + 1] } == entry)
        #expect(lines.contains("#sourceLocation()"))
    }

    @Test func `Several members of one declaration share its comment`() {
        expectMembers(
            "struct Outputs {\n    /// A number.\n    let a, b: Output<Int>, c = Output<Int>()\n}\nlet outputs: Outputs",
            #".output("a", "A number.") { $0.outputs.a }"#,
            #".output("b", "A number.") { $0.outputs.b }"#,
            #".output("c", "A number.") { $0.outputs.c }"#
        )
    }

    @Test(arguments: ["exclusive", "latest", "queued", "concurrent", "shared", "unknown"])
    func `A policy is handed on for the compiler to check`(policy: String) {
        expectMembers(
            "struct Actions {\n    @Policy(.\(policy)) let undo: Action<Void, Void>\n}\nlet actions: Actions",
            #".action("undo", "", policy: .\#(policy), .nothing, .nothing) { $0.actions.undo }"#
        )
    }

    @Test(arguments: [
        "struct Outputs {\n    @Volatile let led: Output<String>\n}\nlet outputs: Outputs",
        "@Volatile @Output var led = 1",
        "@Output @Volatile var led: Int { 1 }",
        "@Rows @Volatile var led: [Row] { [] }",
        "@Volatile @Event var led: Int",
        "@Output(every: .seconds(1)) var led: Int { 1 }",
    ])
    func `A volatile output says so`(member: String) {
        let source = "@ViewModel\nfinal class Calculator {\n\(member)\n}"
        #expect(expanded(source).contains(#"members.append(.output("led", "", volatile: true) {"#))
        #expect(refusals(of: source) == [])
        let plain = source.replacing("@Volatile ", with: "").replacing("(every: .seconds(1))", with: "")
        #expect(expanded(plain).contains(#"members.append(.output("led", "") {"#))
    }

    @Test func `Types may be written with their module, and initialisers in any way`() {
        expectMembers(
            """
            struct Outputs {
                let a: ViewModelKit.Output<Int>
                let b = ViewModelKit.Event<Int>()
                let c = makeOutput()
                let d = Output.constant(1)
                struct Row {}
                init() {}
            }
            let outputs: Calculator.Outputs
            """,
            #".output("a", "") { $0.outputs.a }"#,
            #".output("b", "") { $0.outputs.b }"#,
            #".output("c", "") { $0.outputs.c }"#,
            #".output("d", "") { $0.outputs.d }"#
        )
    }

    @Test func `An input and an output may have the same name, also a keyword`() {
        expectMembers(
            """
            struct Inputs {
                let `switch` = Input<Bool>()
            }
            struct Outputs {
                let `switch`: Output<Bool>
            }
            let inputs = Inputs(), outputs: Outputs
            """,
            #".input("switch", "", .value()) { $0.inputs.`switch` }"#,
            #".output("switch", "") { $0.outputs.`switch` }"#
        )
    }

    @Test(arguments: [("public ", "public "), ("package ", "package "), ("internal ", ""), ("private ", "")])
    func `The contract is as accessible as the class`(modifier: String, access: String) {
        expectContract("@ViewModel", "\(modifier)final class Calculator", "", empty("calculator"), access: access)
    }

    @Test(arguments: [
        ("Lab", "lab"), ("MineHeader", "mineHeader"), ("URLBar", "urlBar"), ("URL", "url"), ("X", "x"),
        ("HTTP2Server", "http2Server"), ("already", "already"), ("Send_List", "send_List"),
    ])
    func `A name begins in lower case`(type: String, name: String) {
        expectContract("@ViewModel", "final class \(type)", "", empty(name), of: type)
    }

    @Test(arguments: [("(\"desk-calculator\")", "desk-calculator"), ("(nil)", "calculator")])
    func `A name may be given`(argument: String, name: String) {
        expectContract("@ViewModel\(argument)", "final class Calculator", "", empty(name))
    }
}

/// A contract without members.
private func empty(_ name: String, _ description: String = "") -> String {
    "name: \"\(name)\",\ndescription: \"\(description)\",\nmembers: { _ in }"
}

@Suite struct `The descriptions that @ViewModel reads` {
    @Test(arguments: [
        ("/// One line.", "One line."),
        ("/// One\n/// paragraph.", "One paragraph."),
        ("/// First.\n///\n/// Second\n/// one.", "First.\\n\\nSecond one."),
        ("// No doc comment.", ""),
        ("/// Old.\n\n/// New.", "New."),
        ("/// Doc.\n// Remark.", "Doc."),
        ("/// Says \"hello\", \\(name) and C:\\\\.", "Says \\\"hello\\\", \\\\(name) and C:\\\\\\\\."),
        (
            "/// Code:\n/// ```\n/// let a = 1\n///\n///     let b = 2\n/// ```\n/// End\n/// of it.",
            "Code:\\n```\\nlet a = 1\\n\\n    let b = 2\\n```\\nEnd of it."
        ),
        ("/// Either\n/// - one\n///   more\n/// - or two", "Either\\n- one more\\n- or two"),
        ("/// # Title\n/// Text", "# Title\\nText"),
        ("/** One line. */", "One line."),
        ("/**\n * Stars\n * in front.\n *\n * Second.\n */", "Stars in front.\\n\\nSecond."),
        (
            "/**\n    No stars\n    in front.\n\n    ```\n      code\n    ```\n*/",
            "No stars in front.\\n\\n```\\n  code\\n```"
        ),
        ("/// Ünïcödé 🙂", "Ünïcödé 🙂"),
        ("///Close\n///", "Close"),
    ])
    func `A doc comment becomes text`(comment: String, text: String) {
        expectContract("\(comment)\n@ViewModel", "final class Calculator", "", empty("calculator", text))
    }

    @Test func `A comment may stand between the attributes and the keyword`() {
        expectContract(
            "@ViewModel",
            "/// Described.\nfinal class Calculator",
            """
            struct Outputs {
                @available(*, deprecated)
                /// Described, too.
                let led: Output<String>
            }
            let outputs: Outputs
            """,
            """
            name: "calculator",
            description: "Described.",
            members: { members in
                members.append(.output("led", "Described, too.") { $0.outputs.led })
            }
            """
        )
    }

    @Test func `The lines of the members are written down for the log`() {
        let source = """
            @ViewModel
            public final class Weather {
                @Field var town = ""
                @Output private(set) var forecast: Forecast?
                @Output var summary: String { town }
                @State private var count = 0
                @Event var arrived: String
                @Input func forget() {}
                @Action
                func look() {}
            }
            """
        let table = """
            extension Weather {
                public var memberPlaces: [ViewModelKit.MemberPlace] {
                    [
                        .init("town", "Test/Test.swift", 3, inputs.town, $town),
                        .init("forecast", "Test/Test.swift", 4, $forecast),
                        .init("summary", "Test/Test.swift", 5, outputs.summary),
                        .init("arrived", "Test/Test.swift", 7, $arrived),
                        .init("forget", "Test/Test.swift", 8, inputs.forget),
                        .init("look", "Test/Test.swift", 10, actions.look),
                        .init("count", "Test/Test.swift", 6, $count),
                    ]
                }
            }
            """
        let made = expanded(source, withPlaces: true)
        #expect(made.contains(table), "\(made)")
        let checks = made.split(separator: "\n").filter { $0.hasPrefix("ViewModelKit.MemberCheck") }
        #expect(
            checks == [
                "ViewModelKit.MemberCheck.clientsSee((String).self); ViewModelKit.MemberCheck.clientsFollow((String).self)",
                "ViewModelKit.MemberCheck.clientsSee((Forecast?).self); "
                    + "ViewModelKit.MemberCheck.clientsFollow((Forecast?).self)",
                "ViewModelKit.MemberCheck.clientsSee((String).self); ViewModelKit.MemberCheck.clientsFollow((String).self)",
                "ViewModelKit.MemberCheck.clientsSee((String).self)",
            ]
        )
        let model = expanded(
            "@SharedModel\nfinal class Model {\n@State var a = 0\n@State var b: Int { 1 }\n}",
            withPlaces: true
        )
        #expect(model.contains(#".init("a", "Test/Test.swift", 3, $a),"#))
        #expect(!model.contains("$b"))
    }
}
