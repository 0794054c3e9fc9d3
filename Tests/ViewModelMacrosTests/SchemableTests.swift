import Testing

@Suite struct `The schema that @Schemable writes` {
    @Test func `A struct is an object with its stored properties`() {
        expectSchema(
            """
            struct Value {
                let id: Int
                var name: String?, note: Optional<String>, tag: [String]!
                var x, y: Double
                var count = 0, ratio = -0.5, text = "", isOn = false
                var `default`: Bool = true { didSet {} }
                let version = 1
                static let shared = 1
                lazy var late = 1
                var twice: Int { id * 2 }
                var thrice: Int { get { id * 3 } set {} }
                func f() {}
            }
            """,
            """
            .object([
                .init("id", .of(Int.self)),
                .init("name", .of(String?.self), required: false),
                .init("note", .of(Optional<String>.self), required: false),
                .init("tag", .of([String]?.self), required: false),
                .init("x", .of(Double.self)),
                .init("y", .of(Double.self)),
                .init("count", .of(Int.self), earlier: .init(absent: { 0 as Int })),
                .init("ratio", .of(Double.self), earlier: .init(absent: { -0.5 as Double })),
                .init("text", .of(String.self), earlier: .init(absent: { "" as String })),
                .init("isOn", .of(Bool.self), earlier: .init(absent: { false as Bool })),
                .init("default", .of(Bool.self), earlier: .init(absent: { true as Bool })),
            ])
            """
        )
    }

    @Test func `Former names and initial values are for values that were saved before`() {
        expectSchema(
            """
            struct Value {
                @Formerly("title", "label") var name: String
                /// How large it is.
                @Formerly("width") var size: Size = isWide ? .wide : .small
                var note: String? = "none"
                var tags: [String] = []
            }
            """,
            """
            .object([
                .init("name", .of(String.self), earlier: .init(["title", "label"])),
                .init("size", .of(Size.self), description: "How large it is.", earlier: .init(["width"], absent: { \
            (isWide ? .wide : .small) as Size })),
                .init("note", .of(String?.self), required: false),
                .init("tags", .of([String].self), earlier: .init(absent: { ([]) as [String] })),
            ])
            """
        )
    }

    @Test func `Coding keys give the names and the order`() {
        expectSchema(
            """
            struct Value {
                var a: Int
                var b: Int
                var c = Cache()
                private enum CodingKeys: String, CodingKey { case b = "the-b", a }
            }
            """,
            """
            .object([
                .init("the-b", .of(Int.self)),
                .init("a", .of(Int.self)),
            ])
            """
        )
    }

    @Test(arguments: [
        ("enum Value: String { case a, b = \"b\"; case `default` }", ".cases([Self.a, .b, .`default`])"),
        ("enum Value: String, CaseIterable { case a, b }", ".cases(allCases)"),
    ])
    func `An enum with raw values is one of them`(declaration: String, schema: String) {
        expectSchema(declaration, schema)
    }

    @Test(arguments: ["UInt8, Sendable", "Raw"]) func `Cases whose values are not their names have notes`(type: String)
    {
        expectSchema(
            "enum Value: \(type) { case a = -1, b }",
            """
            .cases([Self.a, .b], [
                (.a, "a", ""),
                (.b, "b", ""),
            ])
            """
        )
    }

    @Test func `Doc comments are the descriptions of types, members and cases`() {
        expectSchema(
            """
            /// A parcel.
            struct Value {
                /// The number.
                ///
                /// Never used twice.
                let id: Int
                var plain: Bool
                /** Its "note". */ var note: String?
                /// Both.
                var x, y: Double
            }
            """,
            #"""
            .object([
                .init("id", .of(Int.self), description: "The number.\n\nNever used twice."),
                .init("plain", .of(Bool.self)),
                .init("note", .of(String?.self), required: false, description: "Its \"note\"."),
                .init("x", .of(Double.self), description: "Both."),
                .init("y", .of(Double.self), description: "Both."),
            ]).described("A parcel.")
            """#
        )
        expectSchema(
            """
            /// A key.
            public enum Value: String, CaseIterable {
                /// Adds.
                case plus = "+"
                case a
                /// Even.
                case b
            }
            """,
            """
            .cases(allCases, [
                (.plus, "plus", "Adds."),
                (.b, "", "Even."),
            ]).described("A key.")
            """,
            access: "public "
        )
        expectSchema(
            """
            enum Value {
                /// Nothing.
                case empty
                case circle(radius: Double)
            }
            """,
            """
            .anyOf([
                .object([.init("empty", .object([]))]).described("Nothing."),
                .object([.init("circle", .object([.init("radius", .of(Double.self))]))]),
            ])
            """
        )
    }

    @Test func `Bounds are those of the property`() {
        expectExpansion(
            of: #"""
                @Schemable
                struct Value {
                    /// The count.
                    @Bounds(1...99) var count: Int
                    @Bounds(...40, matching: "^[A-Z]") let name: String?
                    @Bounds(matching: #"^\d+$"#) var digits: String
                }
                """#,
            has: #".init("count", .of(Int.self).bounded(.init(1...99)), description: "The count."),"#,
            #".init("name", .of(String?.self).bounded(.init(...40, matching: "^[A-Z]")), required: false),"#,
            ##".init("digits", .of(String.self).bounded(.init(matching: #"^\d+$"#))),"##
        )
    }

    @Test func `Any other enum is an object with one member`() {
        expectSchema(
            """
            enum Value {
                case empty, circle(radius: Double), text(String, _ colour: Colour?)
            }
            """,
            """
            .anyOf([
                .object([.init("empty", .object([]))]),
                .object([.init("circle", .object([.init("radius", .of(Double.self))]))]),
                .object([.init("text", .object([.init("_0", .of(String.self)), .init("_1", .of(Colour?.self), required: false)]))]),
            ])
            """
        )
    }

    @Test func `Coding keys name the cases and their values`() {
        expectSchema(
            """
            enum Value {
                case one(Int), two
                enum CodingKeys: String, CodingKey { case two = "2", one }
                enum OneCodingKeys: String, CodingKey { case _0 = "number" }
            }
            """,
            """
            .anyOf([
                .object([.init("2", .object([]))]),
                .object([.init("one", .object([.init("number", .of(Int.self))]))]),
            ])
            """
        )
    }

    @Test(arguments: [("public ", "public "), ("package ", "package "), ("", ""), ("private ", ""), ("internal ", "")])
    func `The schema is as accessible as the type`(modifier: String, access: String) {
        expectSchema("\(modifier)struct Value {}", ".object([])", access: access)
    }

    @Test func `The author's own schema stays`() {
        let source = """
            struct Value {
                static var schema: Schema { .string() }
                init(from decoder: any Decoder) throws {}
            }
            """
        #expect(expanded("@Schemable\n\(source)") == "\(source)\n\nextension Value: Schemable, Codable, Equatable {}")
    }
}

@Suite struct `A declaration without a schema` {
    @Test(
        arguments: ["class", "final class", "actor", "protocol"].map { kind in
            let caret = kind == "final class" ? "      ^" : "^"
            return Mistake(
                """
                @Schemable
                \(kind) Value {
                \(caret) @Schemable applies to a struct or an enum; write `struct`, or write the conformance to `Schemable`
                | by hand with `static var schema: Schema { … }`
                }
                """
            )
        }
            + Mistake.table(
                """
                @Schemable
                struct Value {
                    init(from decoder: any Decoder) throws {}
                    ^ The coding of `Value` is written by hand, so its declaration does not show its shape; write
                | `static var schema: Schema { … }`, too
                }

                @Schemable
                struct Value {
                    func encode(to encoder: any Encoder) throws {}
                         ^ The coding of `Value` is written by hand, so its declaration does not show its shape; write
                | `static var schema: Schema { … }`, too
                }

                @Schemable
                struct Value {
                    static func == (left: Value, right: Value) -> Bool { true }
                                ^ The operator `==` of `Value` is written by hand; write `Value: Equatable`
                }

                @Schemable
                struct Value {
                    var point = Point()
                        ^ @Schemable reads the type of a property from its declaration; write `var point: … = …`
                }

                @Schemable
                struct Value {
                    var (a, b): (Int, Int)
                        ^ Each property has its own name and type; write one `var` for each
                }

                @Schemable
                struct Value {
                    #if os(Linux)
                    ^ @Schemable cannot know which branch of `#if` applies; write the declaration without it, or write
                | `static var schema: Schema { … }`
                    var a: Int
                    #endif
                }

                @Schemable
                struct Value {
                    typealias CodingKeys = Keys
                              ^ @Schemable reads the names from the cases of an enum; write
                | `enum CodingKeys: String, CodingKey`, or write `static var schema: Schema { … }`
                }

                @Schemable
                enum Value: Double {
                            ^ An enum on the wire is a string or an integer, not a `Double`; write `enum Value: String`
                    case a = 1.5
                }

                @Schemable
                enum Value {
                     ^ A value of `Value` is one of its cases; write at least one
                }

                enum Outer {
                    @Schemable
                    private struct Value {
                    ^ The conformance is written outside of the enclosing type; write `fileprivate`
                    }
                }
                fix: write `fileprivate`
                enum Outer {
                    @Schemable
                    fileprivate struct Value {
                    }
                }
                """
            )
    )
    func `is refused`(mistake: Mistake) {
        expect(mistake)
    }
}
