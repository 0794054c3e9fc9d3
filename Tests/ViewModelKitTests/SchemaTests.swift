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

    @Test func `A struct without members is an empty object`() {
        #expect(Schema.of(Nothing.self).resolved == .object([]))
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
private struct Point { var x, y: Double }

@Schemable
private struct Line {
    var from, to: Point
    var via: [Point]
    var name: Point?
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
private enum Level: Int { case low = -1, middle = 5, high }

@Schemable
private enum Figure {
    case circle(radius: Double)
    case text(String, colour: Colour?)
    case nothing
}

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
