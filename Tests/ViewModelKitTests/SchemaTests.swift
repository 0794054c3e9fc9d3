public import FoundationEssentials
import Testing
import ViewModelContract
public import ViewModelKit

@Suite struct `The schema of a type` {
    private static func object(_ name: String, _ schema: Schema) -> Schema { .object([.init(name, schema)]) }

    private let plain: [(any Schemable.Type, Schema)] = [
        (Bool.self, .boolean), (Double.self, .number), (Float.self, .number), (String.self, .string()),
        (Int.self, .integer(-9_223_372_036_854_775_808...9_223_372_036_854_775_807)),
        (Int8.self, .integer(-128...127)), (Int16.self, .integer(-32_768...32_767)),
        (Int32.self, .integer(-2_147_483_648...2_147_483_647)), (Int64.self, Schema.of(Int.self).form),
        (UInt.self, .integer(0...18_446_744_073_709_551_615)),
        (UInt8.self, .integer(0...255)), (UInt16.self, .integer(0...65_535)),
        (UInt32.self, .integer(0...4_294_967_295)),
        (UInt64.self, Schema.of(UInt.self).form),
        (Int128.self, .integer(Int128.min...Int128.max)), (UInt128.self, .integer()),
        (Date.self, .string(format: "date-time")), (Data.self, .string(contentEncoding: "base64")),
        (URL.self, .string(format: "uri")), (UUID.self, .string(format: "uuid")),
        (Decimal.self, .string(format: "decimal")),
    ]

    private let containers: [(any Schemable.Type, Schema)] = [
        ([String].self, .array(.string())), (ContiguousArray<Bool>.self, .array(.boolean)),
        (Set<String>.self, .array(.string())), ([[Bool]].self, .array(.array(.boolean))),
        (Range<UInt8>.self, .array(.integer(0...255))), (ClosedRange<UInt8>.self, .array(.integer(0...255))),
        (Duration.self, Schema.array(.anyOf([Schema.of(Int64.self).form, Schema.of(UInt64.self).form]))),
        // Dictionaries are objects when their keys are names.
        ([String: Bool].self, .dictionary(.boolean)), ([Int: Bool].self, .dictionary(.boolean)),
        ([NamedKey: Bool].self, .dictionary(.boolean)), ([Bool: String].self, .array(.anyOf([.boolean, .string()]))),
        (Int8?.self, .optional(.integer(-128...127))), (String??.self, .optional(.optional(.string()))),
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
            #expect(Schema.of(type).expanded == schema, "\(type)")
        }
    }

    @Test func `is params by name only if it is an object`() {
        let objects: [any Schemable.Type] = [Mail.self, Nothing.self, [String: Int].self, Tree.self, Figure.self]
        for type in objects { #expect(Schema.of(type).isObject, "\(type)") }
        let others: [any Schemable.Type] = [String.self, [Mail].self, Mail?.self, Colour.self]
        for type in others { #expect(!Schema.of(type).isObject, "\(type)") }
        #expect(!Schema.any.isObject)
    }

    @Test func `stays a reference to the type where the type contains itself`() {
        let tree = Schema.of(Tree.self)
        #expect(tree.form == .object([.init("name", .of(String.self)), .init("children", .of([Tree].self))]))
        #expect(Schema.of([Tree].self).form == .array(tree))
        let formula = Schema.of(Formula.self)
        let sum = Schema.object([.init("_0", formula), .init("_1", formula)])
        let number = Schema.object([.init("_0", .of(Double.self))])
        #expect(formula.form == .anyOf([Self.object("sum", sum), Self.object("number", number)]))
        #expect(!tree.isSecret && !formula.isSecret && formula.isObject)
        #expect(!Schema.of(Folder.self).isSecret)
    }

    @Test func `of a type that grows with each level ends`() {
        #expect(!Schema.of(Growing<Bool>.self).isSecret)
    }

    @Test func `lists alternatives once`() {
        #expect(Schema.anyOf([.boolean, .of(Bool.self)]).alternatives == [.boolean])
        let text = Schema.of(String?.self)
        #expect(Schema.anyOf([.boolean, .optional(text)]).alternatives == [.boolean, .string(), .null])
        let own = Schema.of(AnyValue.self)
        #expect(own.alternatives == [.null, .boolean, .number, .string(), .array(own), .dictionary(own)])
    }

    /// A type of 30 levels, of which each contains the next one twice.
    ///
    /// A function that looks at each place of a type does not end.
    @Test(.timeLimit(.minutes(1))) func `is looked at once where a type stands at many places`() {
        func twice<Part: Schemable>(_: Part.Type) -> any Schemable.Type { Twice<Part>.self }
        func deep(_ last: any Schemable.Type) -> Schema {
            var type = last
            for _ in 0..<30 { type = twice(type) }
            return Schema.of(type)
        }
        let (plain, secret) = (deep(Point.self), deep(Password.self))
        #expect(!plain.isSecret && secret.isSecret && plain.isObject)
        #expect(ValueCheck(of: plain) == nil)
        #expect(MemberShape { plain }.reading.isObject)
    }
}

extension Schema {
    /// The schema with the schemas of types in their place, for types that do not contain themselves.
    fileprivate var expanded: Schema {
        switch form {
        case .array(let element): .array(element.expanded)
        case .dictionary(let value): .dictionary(value.expanded)
        case .optional(let value): .optional(value.expanded)
        case .anyOf(let alternatives): .anyOf(alternatives.map(\.expanded))
        case .object(let properties):
            .object(properties.map { Property($0.name, $0.schema.expanded, required: $0.required) })
        case let form: form
        }
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

private struct Twice<Part: Schemable>: Schemable {
    var first, second: Part
    static var schema: Schema { .object([.init("first", .of(Part.self)), .init("second", .of(Part.self))]) }
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
