public import FoundationEssentials
import Testing
public import ViewModelKit

@Suite struct `The schema of a type` {
    private static func object(_ name: String, _ schema: Schema) -> Schema { .object([.init(name, schema)]) }

    private let plain: [(any Schemable.Type, Schema)] = [
        (Bool.self, .boolean), (Double.self, .number), (Float.self, .number), (String.self, .string()),
        (Int.self, .integer(-9_223_372_036_854_775_808...9_223_372_036_854_775_807)),
        (Int8.self, .integer(-128...127)), (Int16.self, .integer(-32_768...32_767)),
        (Int32.self, .integer(-2_147_483_648...2_147_483_647)), (Int64.self, Schema.of(Int.self).resolved),
        (UInt.self, .integer(0...18_446_744_073_709_551_615)),
        (UInt8.self, .integer(0...255)), (UInt16.self, .integer(0...65_535)),
        (UInt32.self, .integer(0...4_294_967_295)),
        (UInt64.self, Schema.of(UInt.self).resolved),
        (Int128.self, .integer(Int128.min...Int128.max)), (UInt128.self, .integer()),
        (Date.self, .string(format: "date-time")), (Data.self, .string(contentEncoding: "base64")),
        (URL.self, .string(format: "uri")), (UUID.self, .string(format: "uuid")),
        (Decimal.self, .string(format: "decimal")),
    ]

    private let containers: [(any Schemable.Type, Schema)] = [
        ([String].self, .array(.string())), (ContiguousArray<Bool>.self, .array(.boolean)),
        (Set<String>.self, .array(.string())), ([[Bool]].self, .array(.array(.boolean))),
        (Range<UInt8>.self, .array(.integer(0...255))), (ClosedRange<UInt8>.self, .array(.integer(0...255))),
        (Duration.self, Schema.array(.anyOf([.of(Int64.self), .of(UInt64.self)])).resolved),
        // Dictionaries are objects when their keys are names.
        ([String: Bool].self, .dictionary(.boolean)), ([Int: Bool].self, .dictionary(.boolean)),
        ([NamedKey: Bool].self, .dictionary(.boolean)), ([Bool: String].self, .array(.anyOf([.boolean, .string()]))),
        // An optional is null or the value, said once.
        (Int8?.self, .optional(.integer(-128...127))), (String??.self, .optional(.string())),
        ([String?].self, .array(.optional(.string()))),
    ]

    private static let point = Schema.object([.init("x", .number), .init("y", .number)])
    private static let shape = Schema.anyOf([
        object("circle", object("radius", .number)),
        object(
            "text",
            .object([
                .init("_0", .string()),
                .init("colour", .optional(.enumeration(["red", "green", "blue"])), required: false),
            ])
        ),
        object("nothing", .object([])),
    ])

    private let declared: [(any Schemable.Type, Schema)] = [
        (
            Mail.self,
            .object([
                .init("id", .integer(0...255)), .init("subject", .string()),
                .init("sent", .string(format: "date-time")),
                .init("body", .string(contentEncoding: "base64")), .init("link", .string(format: "uri")),
                .init("price", .string(format: "decimal")), .init("tags", .array(.string())),
                .init("flags", .dictionary(.boolean)),
            ])
        ),
        (
            Line.self,
            .object([
                .init("from", Self.point), .init("to", Self.point), .init("via", .array(Self.point)),
                .init("name", .optional(Self.point), required: false),
            ])
        ),
        (Nothing.self, .object([])),
        // A raw representable struct is its raw value.
        (Code.self, .string()), (Options.self, .integer(0...255)),
        (Wrapper<Options>.self, Self.object("value", .integer(0...255))),
        // An enum with associated values is an object with one member.
        (Figure.self, Self.shape),
        (Pair<Figure, Bool>.self, .object([.init("first", Self.shape), .init("second", .boolean)])),
        // A type may give its own schema, which is found without a value.
        (Amount.self, .string(format: "amount")), ([Amount?].self, .array(.optional(.string(format: "amount")))),
        (
            Pair<Amount, Bool>.self,
            .object([.init("first", .string(format: "amount")), .init("second", .boolean)])
        ),
        (Careful.self, Self.object("lower", .integer(0...255))),
        // A type of another module is described in an extension.
        (Locale.self, .string()),
    ]

    @Test func `follows from its declaration`() {
        for (type, schema) in plain + containers + declared {
            #expect(Schema.of(type).resolved == schema, "\(type)")
        }
    }

    @Test func `is params by name only if it is an object`() {
        let objects: [any Schemable.Type] = [Mail.self, Nothing.self, [String: Int].self, Tree.self, Figure.self]
        for type in objects { #expect(Schema.of(type).isObject, "\(type)") }
        let others: [any Schemable.Type] = [String.self, [Mail].self, Mail?.self, Colour.self]
        for type in others { #expect(!Schema.of(type).isObject, "\(type)") }
        #expect(!Schema.any.isObject)
    }

    /// Returns the name and the schema of a type that is defined once, because it contains itself.
    private func definition(of type: any Schemable.Type) throws -> (name: String, schema: Schema) {
        guard case .definition(let name, let schema) = Schema.of(type).resolved else { throw Refusal() }
        return (name, schema)
    }

    @Test func `ends in a reference where the type contains itself`() throws {
        let (tree, members) = try definition(of: Tree.self)
        #expect(tree.hasSuffix("Tree"))
        #expect(members == .object([.init("name", .string()), .init("children", .array(.reference(tree)))]))
        let (formula, cases) = try definition(of: Formula.self)
        let sum = Schema.object([.init("_0", .reference(formula)), .init("_1", .reference(formula))])
        #expect(
            cases == .anyOf([Self.object("sum", sum), Self.object("number", Self.object("_0", .number))])
        )
        let (value, alternatives) = try definition(of: AnyValue.self)
        let own = Schema.reference(value)
        #expect(alternatives == .anyOf([.null, .boolean, .number, .string(), .array(own), .dictionary(own)]))
    }

    @Test func `has a name that can be a key among a document's components`() throws {
        let name = try definition(of: Cons<[String: Int]>.self).name
        #expect(try #/[A-Za-z0-9._-]+/#.wholeMatch(in: name) != nil, "\(name)")
    }

    @Test func `of types that contain each other is defined in each of them`() throws {
        let folder = try definition(of: Folder.self).name
        let (entry, schema) = try definition(of: Entry.self)
        #expect(folder != entry)
        let entries = Self.object("entries", .array(.reference(entry)))
        #expect(schema == .object([.init("folder", .optional(entries), required: false)]))
    }

    @Test func `of a type that grows with each level ends in any value`() {
        var schema = Schema.of(Growing<Bool>.self).resolved
        var depth = 0
        while case .object(let properties) = schema, let next = properties.first {
            (schema, depth) = (next.schema, depth + 1)
        }
        #expect(schema == .any && depth == 100)
    }

    @Test func `lists alternatives once`() {
        #expect(Schema.anyOf([.boolean, .of(Bool.self)]).resolved == .boolean)
        #expect(Schema.anyOf([.boolean, .any]).resolved == .any)
    }
}

// MARK: - Types

@Schemable
private enum NamedKey: String, CodingKeyRepresentable { case one, two }

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
