public import FoundationEssentials
import Testing
public import ViewModelKit

@Suite struct `Schema of plain values` {
    @Test func `Booleans, numbers and strings are themselves`() {
        #expect(Schema.of(Bool.self).resolved == .boolean)
        #expect(Schema.of(Double.self).resolved == .number)
        #expect(Schema.of(Float.self).resolved == .number)
        #expect(Schema.of(String.self).resolved == .string())
    }

    @Test func `Integers have the range of their type`() {
        #expect(Schema.of(Int.self).resolved == .integer(-9_223_372_036_854_775_808...9_223_372_036_854_775_807))
        #expect(Schema.of(Int8.self).resolved == .integer(-128...127))
        #expect(Schema.of(Int16.self).resolved == .integer(-32_768...32_767))
        #expect(Schema.of(Int32.self).resolved == .integer(-2_147_483_648...2_147_483_647))
        #expect(Schema.of(Int64.self).resolved == Schema.of(Int.self).resolved)
        #expect(Schema.of(UInt.self).resolved == .integer(0...18_446_744_073_709_551_615))
        #expect(Schema.of(UInt8.self).resolved == .integer(0...255))
        #expect(Schema.of(UInt16.self).resolved == .integer(0...65_535))
        #expect(Schema.of(UInt32.self).resolved == .integer(0...4_294_967_295))
        #expect(Schema.of(UInt64.self).resolved == Schema.of(UInt.self).resolved)
        #expect(Schema.of(Int128.self).resolved == .integer(Int128.min...Int128.max))
        #expect(Schema.of(UInt128.self).resolved == .integer())
    }

    @Test func `Dates, data, addresses and money are strings of a format`() {
        #expect(Schema.of(Date.self).resolved == .string(format: "date-time"))
        #expect(Schema.of(Data.self).resolved == .string(contentEncoding: "base64"))
        #expect(Schema.of(URL.self).resolved == .string(format: "uri"))
        #expect(Schema.of(UUID.self).resolved == .string(format: "uuid"))
        #expect(Schema.of(Decimal.self).resolved == .string(format: "decimal"))
    }

    @Test func `Arrays and sets are arrays of their elements`() {
        #expect(Schema.of([String].self).resolved == .array(.string()))
        #expect(Schema.of(ContiguousArray<Bool>.self).resolved == .array(.boolean))
        #expect(Schema.of(Set<String>.self).resolved == .array(.string()))
        #expect(Schema.of([[Bool]].self).resolved == .array(.array(.boolean)))
        #expect(Schema.of(Range<UInt8>.self).resolved == .array(.integer(0...255)))
        #expect(Schema.of(ClosedRange<UInt8>.self).resolved == .array(.integer(0...255)))
        #expect(Schema.of(Duration.self).resolved == .array(.anyOf([.of(Int64.self), .of(UInt64.self)])).resolved)
    }

    @Test func `Dictionaries are objects when their keys are names`() {
        #expect(Schema.of([String: Bool].self).resolved == .dictionary(.boolean))
        #expect(Schema.of([Int: Bool].self).resolved == .dictionary(.boolean))
        #expect(Schema.of([NamedKey: Bool].self).resolved == .dictionary(.boolean))
        #expect(Schema.of([Bool: String].self).resolved == .array(.anyOf([.boolean, .string()])))
    }

    @Test func `An optional is null or the value, said once`() {
        #expect(Schema.of(Int8?.self).resolved == .optional(.integer(-128...127)))
        #expect(Schema.of(String??.self).resolved == .optional(.string()))
        #expect(Schema.of([String?].self).resolved == .array(.optional(.string())))
    }

    @Schemable
    fileprivate enum NamedKey: String, CodingKeyRepresentable { case one, two }
}

@Suite struct `Schema of structs` {
    @Test func `Members stand in the order of their declaration`() {
        #expect(
            Schema.of(Mail.self).resolved
                == .object([
                    Schema.Property("id", .integer(0...255)),
                    Schema.Property("subject", .string()),
                    Schema.Property("sent", .string(format: "date-time")),
                    Schema.Property("body", .string(contentEncoding: "base64")),
                    Schema.Property("link", .string(format: "uri")),
                    Schema.Property("price", .string(format: "decimal")),
                    Schema.Property("tags", .array(.string())),
                    Schema.Property("flags", .dictionary(.boolean)),
                ])
        )
    }

    @Test func `Optional members need not be there`() {
        #expect(
            Schema.of(Sparse.self).resolved
                == .object([
                    Schema.Property("bool", .optional(.boolean), required: false),
                    Schema.Property("int", .optional(.integer(-128...127)), required: false),
                    Schema.Property("string", .optional(.string()), required: false),
                    Schema.Property("double", .optional(.number), required: false),
                    Schema.Property("float", .optional(.number), required: false),
                    Schema.Property("colour", .optional(.enumeration(["red", "green", "blue"])), required: false),
                    Schema.Property("list", .optional(.array(.string())), required: false),
                ])
        )
    }

    @Test func `Every integer type may be an optional member`() {
        guard case .object(let properties) = Schema.of(Integers.self).resolved else {
            Issue.record("not an object")
            return
        }
        #expect(properties.count == 12)
        for property in properties {
            #expect(!property.required)
            guard case .optional(.integer) = property.schema else {
                Issue.record("\(property)")
                continue
            }
        }
    }

    @Test func `Nested structs are described where they stand`() {
        let point = Schema.object([Schema.Property("x", .number), Schema.Property("y", .number)])
        #expect(
            Schema.of(Line.self).resolved
                == .object([
                    Schema.Property("from", point),
                    Schema.Property("to", point),
                    Schema.Property("via", .array(point)),
                    Schema.Property("name", .optional(point), required: false),
                ])
        )
    }

    @Test func `Coding keys give the names`() {
        #expect(Schema.of(Renamed.self).resolved == .object([Schema.Property("e-mail", .string())]))
    }

    @Test func `Coding keys give the order and leave members out`() {
        #expect(
            Schema.of(Partial.self).resolved
                == .object([
                    Schema.Property("name", .string()),
                    Schema.Property("n", Schema.of(Int.self).resolved),
                    Schema.Property("factor", .number),
                    Schema.Property("isOn", .boolean),
                    Schema.Property("either", .optional(Schema.of(Int.self).resolved), required: false),
                    Schema.Property("watched", Schema.of(Int.self).resolved),
                ])
        )
    }

    @Test func `A struct without members is an empty object`() {
        #expect(Schema.of(Nothing.self).resolved == .object([]))
    }

    @Test func `A generic struct has the members of its arguments`() {
        #expect(
            Schema.of(Pair<String, Int8?>.self).resolved
                == .object([
                    Schema.Property("first", .string()), Schema.Property("second", .optional(.integer(-128...127))),
                ])
        )
    }

    @Test func `A raw representable struct is its raw value`() {
        #expect(Schema.of(Code.self).resolved == .string())
        #expect(Schema.of(Options.self).resolved == .integer(0...255))
        #expect(Schema.of(Wrapper<Options>.self).resolved == .object([Schema.Property("value", .integer(0...255))]))
    }

    @Test func `Only objects are params by name`() {
        #expect(Schema.of(Mail.self).isObject)
        #expect(Schema.of(Nothing.self).isObject)
        #expect(Schema.of([String: Int].self).isObject)
        #expect(Schema.of(Tree.self).isObject)
        #expect(Schema.of(Figure.self).isObject)
        #expect(!Schema.of(String.self).isObject)
        #expect(!Schema.of([Mail].self).isObject)
        #expect(!Schema.of(Optional<Mail>.self).isObject)
        #expect(!Schema.of(Colour.self).isObject)
        #expect(!Schema.any.isObject)
    }
}

@Suite struct `Schema of enums` {
    @Test func `A string enum lists its cases`() {
        #expect(Schema.of(Colour.self).resolved == .enumeration(["red", "green", "blue"]))
        #expect(Schema.of(Digit.self).resolved == .enumeration(["0", "1", "+"]))
        #expect(Schema.of(Alone.self).resolved == .enumeration(["only"]))
    }

    @Test func `An integer enum lists its cases`() {
        #expect(Schema.of(Level.self).resolved == .integerEnumeration([-1, 5, 6]))
    }

    @Test func `An enum that is CaseIterable lists what it says`() {
        #expect(Schema.of(Chosen.self).resolved == .enumeration(["b", "a"]))
    }

    @Test func `An enum of many cases is found in full`() {
        guard case .enumeration(let names) = Schema.of(Many.self).resolved else {
            Issue.record("not an enumeration")
            return
        }
        #expect(names.count == 300)
        #expect(names.first == "a0")
        #expect(names.last == "c99")
    }

    @Test func `The members around an enum are found`() {
        #expect(
            Schema.of(Painting.self).resolved
                == .object([
                    Schema.Property("title", .string()),
                    Schema.Property("colour", .enumeration(["red", "green", "blue"])),
                    Schema.Property("level", .integerEnumeration([-1, 5, 6])),
                    Schema.Property("sizes", .array(.number)),
                ])
        )
    }

    @Test func `An enum with associated values is an object with one member`() {
        let circle = Schema.object([Schema.Property("radius", .number)])
        let text = Schema.object([
            Schema.Property("_0", .string()),
            Schema.Property("colour", .optional(.enumeration(["red", "green", "blue"])), required: false),
        ])
        let shape = Schema.anyOf([
            .object([Schema.Property("circle", circle)]),
            .object([Schema.Property("text", text)]),
            .object([Schema.Property("nothing", .object([]))]),
        ])
        #expect(Schema.of(Figure.self).resolved == shape)
        #expect(
            Schema.of(Pair<Figure, Bool>.self).resolved
                == .object([Schema.Property("first", shape), Schema.Property("second", .boolean)])
        )
    }

    @Test func `Coding keys name the cases and their values`() {
        #expect(
            Schema.of(Renaming.self).resolved
                == .anyOf([
                    .object([Schema.Property("t", .object([Schema.Property("_0", .string())]))]),
                    .object([Schema.Property("circle", .object([Schema.Property("r", .number)]))]),
                ])
        )
    }

    @Test func `An enum without raw values is an object, too`() {
        #expect(
            Schema.of(Plain.self).resolved
                == .anyOf([
                    .object([Schema.Property("on", .object([]))]), .object([Schema.Property("off", .object([]))]),
                ])
        )
    }
}

@Suite struct `Schema of types that contain themselves` {
    @Test func `A tree ends in a reference to itself`() {
        guard case .definition(let name, let tree) = Schema.of(Tree.self).resolved else {
            Issue.record("not a definition")
            return
        }
        #expect(name.hasSuffix("Tree"))
        #expect(
            tree
                == .object([
                    Schema.Property("name", .string()), Schema.Property("children", .array(.reference(name))),
                ])
        )
    }

    @Test func `A name can be a key among a document's components`() throws {
        guard case .definition(let name, _) = Schema.of(Cons<[String: Int]>.self).resolved else {
            Issue.record("not a definition")
            return
        }
        #expect(try #/[A-Za-z0-9._-]+/#.wholeMatch(in: name) != nil, "\(name)")
    }

    @Test func `An indirect enum ends in a reference to itself`() {
        guard case .definition(let name, .anyOf(let cases)) = Schema.of(Formula.self).resolved else {
            Issue.record("not a definition")
            return
        }
        let sum = Schema.object([
            Schema.Property("_0", .reference(name)), Schema.Property("_1", .reference(name)),
        ])
        #expect(
            cases == [
                .object([Schema.Property("sum", sum)]),
                .object([Schema.Property("number", .object([Schema.Property("_0", .number)]))]),
            ]
        )
    }

    @Test func `Types that contain each other are defined each in its own schema`() {
        guard case .definition(let folder, _) = Schema.of(Folder.self).resolved else {
            Issue.record("not a definition")
            return
        }
        guard case .definition(let entry, let schema) = Schema.of(Entry.self).resolved else {
            Issue.record("not a definition")
            return
        }
        #expect(folder != entry)
        #expect(
            schema
                == .object([
                    Schema.Property(
                        "folder",
                        .optional(.object([Schema.Property("entries", .array(.reference(entry)))])),
                        required: false
                    )
                ])
        )
    }

    @Test func `A type that grows with each level ends in any value`() {
        var schema = Schema.of(Growing<Bool>.self).resolved
        var depth = 0
        while case .object(let properties) = schema, let next = properties.first {
            (schema, depth) = (next.schema, depth + 1)
        }
        #expect(schema == .any && depth == 100)
    }

    @Test func `A list of a type that contains itself is a list of definitions`() {
        guard case .array(.definition(let name, _)) = Schema.of([Tree].self).resolved else {
            Issue.record("not an array of definitions")
            return
        }
        #expect(name.hasSuffix("Tree"))
    }
}

@Suite struct `Schema of hand-written types` {
    @Test func `A type may give its own schema`() {
        #expect(Schema.of(Amount.self).resolved == .string(format: "amount"))
        #expect(Schema.of([Amount?].self).resolved == .array(.optional(.string(format: "amount"))))
        #expect(
            Schema.of(Pair<Amount, Bool>.self).resolved
                == .object([
                    Schema.Property("first", .string(format: "amount")), Schema.Property("second", .boolean),
                ])
        )
    }

    @Test func `Alternatives may contain themselves`() {
        guard case .definition(let name, let schema) = Schema.of(AnyValue.self).resolved else {
            Issue.record("not a definition")
            return
        }
        #expect(
            schema
                == .anyOf([
                    .null, .boolean, .number, .string(), .array(.reference(name)), .dictionary(.reference(name)),
                ])
        )
    }

    @Test func `Alternatives are listed once`() {
        #expect(Schema.anyOf([.boolean, .of(Bool.self)]).resolved == .boolean)
        #expect(Schema.anyOf([.boolean, .any]).resolved == .any)
    }

    @Test func `A schema is found without a value`() {
        #expect(Schema.of(Careful.self).resolved == .object([Schema.Property("lower", .integer(0...255))]))
    }

    @Test func `A type of another module is described in an extension`() {
        #expect(Schema.of(Locale.self).resolved == .string())
    }
}

// MARK: - Types

@Schemable
private struct Mail {
    var id: UInt8
    var subject: String
    var sent: Date
    var body: Data
    var link: URL
    var price: Decimal
    var tags: Set<String>
    var flags: [String: Bool]
}

@Schemable
private struct Sparse {
    var bool: Bool?
    var int: Int8?
    var string: String?
    var double: Double?
    var float: Float?
    var colour: Colour?
    var list: [String]?
}

@Schemable
private struct Integers {
    var a: Int?, b: Int8?, c: Int16?, d: Int32?, e: Int64?, f: Int128?
    var g: UInt?, h: UInt8?, i: UInt16?, j: UInt32?, k: UInt64?, l: UInt128?
}

@Schemable
private struct Point { var x, y: Double }

@Schemable
private struct Line {
    var from, to: Point
    var via: [Point]
    var name: Point?
}

@Schemable
private struct Renamed {
    var mail: String
    var local = 1
    enum CodingKeys: String, CodingKey { case mail = "e-mail" }
}

@Schemable
private struct Nothing {}

@Schemable
private struct Pair<First: Schemable & Equatable, Second: Schemable & Equatable> {
    var first: First
    var second: Second
}

@Schemable
private struct Wrapper<Value: Schemable & Equatable> { var value: Value }

private struct Code: RawRepresentable, Schemable { var rawValue: String }

private struct Options: OptionSet, Schemable { var rawValue: UInt8 }

@Schemable
private enum Colour: String { case red, green, blue }

@Schemable
private enum Digit: String { case zero = "0", one = "1", plus = "+" }

@Schemable
private enum Alone: String { case only }

@Schemable
private enum Level: Int { case low = -1, middle = 5, high }

@Schemable
private enum Chosen: String, CaseIterable {
    case a, b, deprecated
    static let allCases: [Chosen] = [.b, .a]
}

@Schemable
private struct Painting {
    var title: String
    var colour: Colour
    var level: Level
    var sizes: [Double]
}

@Schemable
private enum Figure {
    case circle(radius: Double)
    case text(String, colour: Colour?)
    case nothing
}

@Schemable
private enum Plain { case on, off }

@Schemable
private struct Tree {
    var name: String
    var children: [Tree]
}

@Schemable
private indirect enum Formula {
    case sum(Formula, Formula)
    case number(Double)
}

@Schemable
private struct Folder { var entries: [Entry] }

@Schemable
private struct Entry { var folder: Folder? }

@Schemable
private indirect enum Cons<Value: Schemable & Equatable> {
    case end
    case link(Value, Cons)
}

private struct Growing<Value: Schemable>: Schemable {
    static var schema: Schema { .object([.init("next", .of(Growing<[Value]>.self))]) }
}

@Schemable
private enum Renaming {
    case circle(radius: Double), text(String)
    private enum CodingKeys: String, CodingKey { case text = "t", circle }
    private enum CircleCodingKeys: String, CodingKey { case radius = "r" }
}

@Schemable
private struct Partial {
    static let shared = 1
    static var others: [Int] { [] }
    var count = 0, factor = 1.5, name = "n", isOn = true
    var either: Int!
    var watched: Int = 1 { didSet {} }
    var twice: Int { count * 2 }
    lazy var late = 3
    enum CodingKeys: String, CodingKey { case name, count = "n", factor, isOn, either, watched }
}

private struct Amount: Schemable, Equatable {
    var cents: Int
    static var schema: Schema { .string(format: "amount") }
    init(from decoder: any Decoder) throws { throw Refusal() }
    func encode(to encoder: any Encoder) throws {}
}

private enum AnyValue: Schemable {
    case null, bool(Bool), number(Double), string(String), array([AnyValue]), object([String: AnyValue])
    static var schema: Schema {
        .anyOf([
            .null, .boolean, .number, .string(), .of([AnyValue].self), .of([String: AnyValue].self),
        ])
    }
}

/// Its initialiser would end the process.
@Schemable
private struct Careful {
    var lower: UInt8
    static var schema: Schema { .object([.init("lower", .of(UInt8.self))]) }
    init(from decoder: any Decoder) throws { fatalError("a schema needs no value") }
}

extension Locale: Schemable {
    /// A string.
    public static var schema: Schema { .string() }
}

private struct Refusal: Error {}

// swift-format-ignore
@Schemable
private enum Many: String {
    case a0, a1, a2, a3, a4, a5, a6, a7, a8, a9
    case a10, a11, a12, a13, a14, a15, a16, a17, a18, a19
    case a20, a21, a22, a23, a24, a25, a26, a27, a28, a29
    case a30, a31, a32, a33, a34, a35, a36, a37, a38, a39
    case a40, a41, a42, a43, a44, a45, a46, a47, a48, a49
    case a50, a51, a52, a53, a54, a55, a56, a57, a58, a59
    case a60, a61, a62, a63, a64, a65, a66, a67, a68, a69
    case a70, a71, a72, a73, a74, a75, a76, a77, a78, a79
    case a80, a81, a82, a83, a84, a85, a86, a87, a88, a89
    case a90, a91, a92, a93, a94, a95, a96, a97, a98, a99
    case b0, b1, b2, b3, b4, b5, b6, b7, b8, b9
    case b10, b11, b12, b13, b14, b15, b16, b17, b18, b19
    case b20, b21, b22, b23, b24, b25, b26, b27, b28, b29
    case b30, b31, b32, b33, b34, b35, b36, b37, b38, b39
    case b40, b41, b42, b43, b44, b45, b46, b47, b48, b49
    case b50, b51, b52, b53, b54, b55, b56, b57, b58, b59
    case b60, b61, b62, b63, b64, b65, b66, b67, b68, b69
    case b70, b71, b72, b73, b74, b75, b76, b77, b78, b79
    case b80, b81, b82, b83, b84, b85, b86, b87, b88, b89
    case b90, b91, b92, b93, b94, b95, b96, b97, b98, b99
    case c0, c1, c2, c3, c4, c5, c6, c7, c8, c9
    case c10, c11, c12, c13, c14, c15, c16, c17, c18, c19
    case c20, c21, c22, c23, c24, c25, c26, c27, c28, c29
    case c30, c31, c32, c33, c34, c35, c36, c37, c38, c39
    case c40, c41, c42, c43, c44, c45, c46, c47, c48, c49
    case c50, c51, c52, c53, c54, c55, c56, c57, c58, c59
    case c60, c61, c62, c63, c64, c65, c66, c67, c68, c69
    case c70, c71, c72, c73, c74, c75, c76, c77, c78, c79
    case c80, c81, c82, c83, c84, c85, c86, c87, c88, c89
    case c90, c91, c92, c93, c94, c95, c96, c97, c98, c99
}
