import Testing
import ViewModelKit

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite struct `Schema of plain values` {
    @Test func `Booleans, numbers and strings are themselves`() throws {
        #expect(try Schema.of(Bool.self) == .boolean)
        #expect(try Schema.of(Double.self) == .number)
        #expect(try Schema.of(Float.self) == .number)
        #expect(try Schema.of(String.self) == .string())
    }

    @Test func `Integers have the range of their type`() throws {
        #expect(try Schema.of(Int.self) == .integer(-9_223_372_036_854_775_808...9_223_372_036_854_775_807))
        #expect(try Schema.of(Int8.self) == .integer(-128...127))
        #expect(try Schema.of(Int16.self) == .integer(-32_768...32_767))
        #expect(try Schema.of(Int32.self) == .integer(-2_147_483_648...2_147_483_647))
        #expect(try Schema.of(Int64.self) == Schema.of(Int.self))
        #expect(try Schema.of(UInt.self) == .integer(0...18_446_744_073_709_551_615))
        #expect(try Schema.of(UInt8.self) == .integer(0...255))
        #expect(try Schema.of(UInt16.self) == .integer(0...65_535))
        #expect(try Schema.of(UInt32.self) == .integer(0...4_294_967_295))
        #expect(try Schema.of(UInt64.self) == Schema.of(UInt.self))
        #expect(try Schema.of(Int128.self) == .integer(Int128.min...Int128.max))
        #expect(try Schema.of(UInt128.self) == .integer())
    }

    @Test func `Dates, data, addresses and money are strings of a format`() throws {
        #expect(try Schema.of(Date.self) == .string(format: "date-time"))
        #expect(try Schema.of(Data.self) == .string(contentEncoding: "base64"))
        #expect(try Schema.of(URL.self) == .string(format: "uri"))
        #expect(try Schema.of(UUID.self) == .string(format: "uuid"))
        #expect(try Schema.of(Decimal.self) == .string(format: "decimal"))
    }

    @Test func `Arrays and sets are arrays of their elements`() throws {
        #expect(try Schema.of([String].self) == .array(.string()))
        #expect(try Schema.of(ContiguousArray<Bool>.self) == .array(.boolean))
        #expect(try Schema.of(Set<String>.self) == .array(.string()))
        #expect(try Schema.of([[Bool]].self) == .array(.array(.boolean)))
        #expect(try Schema.of(Range<UInt8>.self) == .array(.integer(0...255)))
    }

    @Test func `Dictionaries are objects when their keys are names`() throws {
        #expect(try Schema.of([String: Bool].self) == .dictionary(.boolean))
        #expect(try Schema.of([Int: Bool].self) == .dictionary(.boolean))
        #expect(try Schema.of([NamedKey: Bool].self) == .dictionary(.boolean))
        #expect(try Schema.of([Bool: String].self) == .array(.anyOf([.boolean, .string()])))
    }

    @Test func `An optional is null or the value, said once`() throws {
        #expect(try Schema.of(Int8?.self) == .optional(.integer(-128...127)))
        #expect(try Schema.of(String??.self) == .optional(.string()))
        #expect(try Schema.of([String?].self) == .array(.optional(.string())))
    }

    private enum NamedKey: String, Codable, CodingKeyRepresentable { case one, two }
}

@Suite struct `Schema of structs` {
    @Test func `Members stand in the order of their declaration`() throws {
        #expect(
            try Schema.of(Mail.self)
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

    @Test func `Optional members need not be there`() throws {
        #expect(
            try Schema.of(Sparse.self)
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

    @Test func `Every integer type may be an optional member`() throws {
        guard case .object(let properties) = try Schema.of(Integers.self) else {
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

    @Test func `Nested structs are described where they stand`() throws {
        let point = Schema.object([Schema.Property("x", .number), Schema.Property("y", .number)])
        #expect(
            try Schema.of(Line.self)
                == .object([
                    Schema.Property("from", point),
                    Schema.Property("to", point),
                    Schema.Property("via", .array(point)),
                    Schema.Property("name", .optional(point), required: false),
                ])
        )
    }

    @Test func `Coding keys give the names`() throws {
        #expect(try Schema.of(Renamed.self) == .object([Schema.Property("e-mail", .string())]))
    }

    @Test func `A struct without members is an empty object`() throws {
        #expect(try Schema.of(Nothing.self) == .object([]))
    }

    @Test func `A generic struct has the members of its arguments`() throws {
        #expect(
            try Schema.of(Pair<String, Int8?>.self)
                == .object([
                    Schema.Property("first", .string()), Schema.Property("second", .optional(.integer(-128...127))),
                ])
        )
    }

    @Test func `A class is an object, too`() throws {
        #expect(try Schema.of(Base.self) == .object([Schema.Property("name", .string())]))
    }

    @Test func `A raw representable struct is its raw value`() throws {
        #expect(try Schema.of(Code.self) == .string())
        #expect(try Schema.of(Options.self) == .integer(0...255))
        #expect(try Schema.of(Wrapper<Options>.self) == .object([Schema.Property("value", .integer(0...255))]))
    }

    @Test func `Only objects are params by name`() throws {
        #expect(try Schema.of(Mail.self).isObject)
        #expect(try Schema.of(Nothing.self).isObject)
        #expect(try Schema.of([String: Int].self).isObject)
        #expect(try Schema.of(Tree.self).isObject)
        #expect(try Schema.of(Figure.self).isObject)
        #expect(try !Schema.of(String.self).isObject)
        #expect(try !Schema.of([Mail].self).isObject)
        #expect(try !Schema.of(Mail?.self).isObject)
        #expect(try !Schema.of(Colour.self).isObject)
        #expect(!Schema.any.isObject)
    }
}

@Suite struct `Schema of enums` {
    @Test func `A string enum lists its cases`() throws {
        #expect(try Schema.of(Colour.self) == .enumeration(["red", "green", "blue"]))
        #expect(try Schema.of(Digit.self) == .enumeration(["0", "1", "+"]))
        #expect(try Schema.of(Alone.self) == .enumeration(["only"]))
    }

    @Test func `An integer enum lists its cases`() throws {
        #expect(try Schema.of(Level.self) == .integerEnumeration([-1, 5, 6]))
    }

    @Test func `An enum that is CaseIterable lists what it says`() throws {
        #expect(try Schema.of(Chosen.self) == .enumeration(["b", "a"]))
    }

    @Test func `An enum of many cases is found in full`() throws {
        guard case .enumeration(let names) = try Schema.of(Many.self) else {
            Issue.record("not an enumeration")
            return
        }
        #expect(names.count == 300)
        #expect(names.first == "a0")
        #expect(names.last == "c99")
    }

    @Test func `The members around an enum are found`() throws {
        #expect(
            try Schema.of(Painting.self)
                == .object([
                    Schema.Property("title", .string()),
                    Schema.Property("colour", .enumeration(["red", "green", "blue"])),
                    Schema.Property("level", .integerEnumeration([-1, 5, 6])),
                    Schema.Property("sizes", .array(.number)),
                ])
        )
    }

    @Test func `An enum with associated values is an object with one member`() throws {
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
        #expect(try Schema.of(Figure.self) == shape)
        #expect(
            try Schema.of(Pair<Figure, Bool>.self)
                == .object([Schema.Property("first", shape), Schema.Property("second", .boolean)])
        )
    }

    @Test func `An enum without raw values is an object, too`() throws {
        #expect(
            try Schema.of(Plain.self)
                == .anyOf([
                    .object([Schema.Property("on", .object([]))]), .object([Schema.Property("off", .object([]))]),
                ])
        )
    }
}

@Suite struct `Schema of types that contain themselves` {
    @Test func `A tree ends in a reference to itself`() throws {
        guard case .definition(let name, let tree) = try Schema.of(Tree.self) else {
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
        guard case .definition(let name, _) = try Schema.of(Cons<[String: Int]>.self) else {
            Issue.record("not a definition")
            return
        }
        #expect(try #/[A-Za-z0-9._-]+/#.wholeMatch(in: name) != nil, "\(name)")
    }

    @Test func `An indirect enum ends in a reference to itself`() throws {
        guard case .definition(let name, .anyOf(let cases)) = try Schema.of(Formula.self) else {
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

    @Test func `Types that contain each other are defined each in its own schema`() throws {
        guard case .definition(let folder, _) = try Schema.of(Folder.self) else {
            Issue.record("not a definition")
            return
        }
        guard case .definition(let entry, let schema) = try Schema.of(Entry.self) else {
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

    @Test func `A type that grows with each level is refused`() {
        #expect(throws: SchemaError.self) { try Schema.of(Growing<Bool>.self) }
    }

    @Test func `A type of which there is no finite value is refused`() throws {
        let error = try #require(throws: SchemaError.self) { try Schema.of(Endless.self) }
        #expect(error.reason == "each of its values contains another one")
    }
}

@Suite struct `Schema of hand-written types` {
    @Test func `A type may give its own schema`() throws {
        #expect(try Schema.of(Amount.self) == .string(format: "amount"))
        #expect(try Schema.of([Amount?].self) == .array(.optional(.string(format: "amount"))))
    }

    @Test func `A type that gives an example may be a member`() throws {
        #expect(
            try Schema.of(Pair<Amount, Bool>.self)
                == .object([
                    Schema.Property("first", .string(format: "amount")), Schema.Property("second", .boolean),
                ])
        )
    }

    @Test func `A schema's own values stand in for an example`() throws {
        #expect(
            try Schema.of(Pair<Direction, Direction>.self)
                == .object([
                    Schema.Property("first", .enumeration(["north", "south"])),
                    Schema.Property("second", .enumeration(["north", "south"])),
                ])
        )
    }

    @Test func `A type that checks what it reads is offered several values`() throws {
        #expect(try Schema.of(Wrapper<Percent>.self) == .object([Schema.Property("value", .integer(-128...127))]))
        #expect(try Schema.of(Wrapper<Address>.self) == .object([Schema.Property("value", .string())]))
    }

    @Test func `A type that refuses a single value is described alone`() throws {
        #expect(try Schema.of(Password.self) == .string())
    }

    @Test func `A type that refuses everything is named as the culprit`() throws {
        let error = try #require(throws: SchemaError.self) { try Schema.of(Pair<Bool, Password>.self) }
        #expect(error.type.hasSuffix("Password"))
        #expect(error.root?.contains("Pair") == true)
        #expect(error.remedy == "Conform it to SchemaProviding")
        #expect(error.description.contains("Password"))
        #expect(error.description.contains("too weak"))
    }

    @Test func `A member that checks two others is named as the culprit`() throws {
        let error = try #require(throws: SchemaError.self) { try Schema.of([Interval].self) }
        #expect(error.type.hasSuffix("Interval"))
    }

    @Test func `An enum of an unusual raw value is told to be CaseIterable or to provide`() throws {
        let error = try #require(throws: SchemaError.self) { try Schema.of(Wrapper<Unusual>.self) }
        #expect(error.type.hasSuffix("Unusual"))
        #expect(error.remedy.contains("CaseIterable"))
    }

    @Test func `A culprit is not hidden by an initialiser that forgives`() {
        #expect(throws: SchemaError.self) { try Schema.of(Forgiving.self) }
    }

    @Test func `What is looked for after a refusal is an alternative`() throws {
        #expect(try Schema.of(StringOrNumber.self) == .anyOf([.string(), .number]))
        guard case .definition(let name, let schema) = try Schema.of(AnyValue.self) else {
            Issue.record("not a definition")
            return
        }
        #expect(
            schema
                == .optional(
                    .anyOf([
                        .boolean, .number, .string(), .array(.reference(name)), .dictionary(.reference(name)),
                    ])
                )
        )
    }

    @Test func `Members that are asked for before they are read may be missing`() throws {
        #expect(
            try Schema.of(Careful.self)
                == .object([
                    Schema.Property("asked", .boolean, required: false),
                    Schema.Property("nullable", .optional(.boolean)),
                    Schema.Property("nested", .object([Schema.Property("list", .array(.string()))])),
                ])
        )
    }

    @Test func `An initialiser that goes through all names reads a dictionary`() throws {
        #expect(try Schema.of(Bag.self) == .dictionary(.boolean))
    }

    @Test func `An initialiser that goes through all elements reads an array`() throws {
        #expect(try Schema.of(Stack<String>.self) == .array(.string()))
        #expect(try Schema.of(Wrapper<Stack<Bool>>.self) == .object([Schema.Property("value", .array(.boolean))]))
    }

    @Test func `An initialiser that reads for ever is refused`() throws {
        let first = try #require(throws: SchemaError.self) { try Schema.of(Bottomless.self) }
        #expect(first.reason.contains("for ever"))
        let second = try #require(throws: SchemaError.self) { try Schema.of(Spiral.self) }
        #expect(second.reason.contains("for ever"))
    }

    @Test func `A derived class has the members of both`() throws {
        #expect(
            try Schema.of(Derived.self)
                == .object([
                    Schema.Property("age", .integer(0...255)),
                    Schema.Property("super", .object([Schema.Property("name", .string())])),
                ])
        )
    }

    @Test func `A schema is found from many tasks at once`() async throws {
        try await withThrowingTaskGroup(of: Schema.self) { group in
            for _ in 0..<100 { group.addTask { try Schema.of(Concurrent.self) } }
            for try await schema in group {
                #expect(schema == .object([Schema.Property("colour", .enumeration(["red", "green", "blue"]))]))
            }
        }
    }
}

// MARK: - Types

private struct Mail: Codable {
    var id: UInt8
    var subject: String
    var sent: Date
    var body: Data
    var link: URL
    var price: Decimal
    var tags: Set<String>
    var flags: [String: Bool]
}

private struct Sparse: Codable {
    var bool: Bool?
    var int: Int8?
    var string: String?
    var double: Double?
    var float: Float?
    var colour: Colour?
    var list: [String]?
}

private struct Integers: Codable {
    var a: Int?, b: Int8?, c: Int16?, d: Int32?, e: Int64?, f: Int128?
    var g: UInt?, h: UInt8?, i: UInt16?, j: UInt32?, k: UInt64?, l: UInt128?
}

private struct Point: Codable { var x, y: Double }

private struct Line: Codable {
    var from, to: Point
    var via: [Point]
    var name: Point?
}

private struct Renamed: Codable {
    var mail: String
    var local = 1
    enum CodingKeys: String, CodingKey { case mail = "e-mail" }
}

private struct Nothing: Codable {}

private struct Pair<First: Codable, Second: Codable>: Codable {
    var first: First
    var second: Second
}

private struct Wrapper<Value: Codable>: Codable { var value: Value }

private class Base: Codable { var name = "" }

private final class Derived: Base {
    var age: UInt8
    private enum CodingKeys: CodingKey { case age }
    required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        age = try container.decode(UInt8.self, forKey: .age)
        try super.init(from: container.superDecoder())
    }
}

private struct Code: RawRepresentable, Codable { var rawValue: String }

private struct Options: OptionSet, Codable { var rawValue: UInt8 }

private enum Colour: String, Codable { case red, green, blue }

private enum Digit: String, Codable { case zero = "0", one = "1", plus = "+" }

private enum Alone: String, Codable { case only }

private enum Level: Int, Codable { case low = -1, middle = 5, high }

private enum Chosen: String, Codable, CaseIterable {
    case a, b, deprecated
    static let allCases: [Chosen] = [.b, .a]
}

private struct Painting: Codable {
    var title: String
    var colour: Colour
    var level: Level
    var sizes: [Double]
}

private enum Figure: Codable {
    case circle(radius: Double)
    case text(String, colour: Colour?)
    case nothing
}

private enum Plain: Codable { case on, off }

private struct Tree: Codable {
    var name: String
    var children: [Tree]
}

private final class Cons<Value: Codable>: Codable {
    var value: Value
    var next: Cons?
}

private indirect enum Formula: Codable {
    case sum(Formula, Formula)
    case number(Double)
}

private struct Folder: Codable { var entries: [Entry] }

private struct Entry: Codable { var folder: Folder? }

private struct Growing<Value>: Decodable {
    init(from decoder: any Decoder) throws {
        _ = try decoder.singleValueContainer().decode(Growing<[Value]>.self)
    }
}

private final class Endless: Codable { var next: Endless }

private struct Amount: Codable, SchemaProviding {
    var cents: Int
    static var schema: Schema { .string(format: "amount") }
    static var schemaExample: Amount? { Amount(cents: 0) }
    init(cents: Int) { self.cents = cents }
    init(from decoder: any Decoder) throws { throw Refusal(description: "not an amount") }
    func encode(to encoder: any Encoder) throws {}
}

private struct Direction: Codable, SchemaProviding {
    var name: String
    static var schema: Schema { .enumeration(["north", "south"]) }
    init(from decoder: any Decoder) throws {
        name = try decoder.singleValueContainer().decode(String.self)
        guard ["north", "south"].contains(name) else { throw Refusal(description: "nowhere") }
    }
    func encode(to encoder: any Encoder) throws {}
}

private struct Percent: RawRepresentable, Codable {
    var rawValue: Int8
    init?(rawValue: Int8) {
        guard (1...100).contains(rawValue) else { return nil }
        self.rawValue = rawValue
    }
}

private struct Address: Codable {
    var text: String
    init(from decoder: any Decoder) throws {
        text = try decoder.singleValueContainer().decode(String.self)
        guard text.contains("@") else { throw Refusal(description: "no address") }
    }
    func encode(to encoder: any Encoder) throws {}
}

private struct Password: Codable {
    var text: String
    init(from decoder: any Decoder) throws {
        text = try decoder.singleValueContainer().decode(String.self)
        guard text.count > 40 else { throw Refusal(description: "too weak") }
    }
    func encode(to encoder: any Encoder) throws {}
}

private struct Interval: Codable {
    var lower, upper: Int
    private enum CodingKeys: CodingKey { case lower, upper }
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        lower = try container.decode(Int.self, forKey: .lower)
        upper = try container.decode(Int.self, forKey: .upper)
        guard lower < upper else { throw Refusal(description: "empty") }
    }
}

private enum Unusual: RawRepresentable, Codable {
    case value(Bool)
    init?(rawValue: String) { nil }
    var rawValue: String { "" }
}

private struct Forgiving: Codable {
    var password: Password?
    private enum CodingKeys: CodingKey { case password }
    init(from decoder: any Decoder) throws {
        password = try? decoder.container(keyedBy: CodingKeys.self).decode(Password.self, forKey: .password)
    }
}

private enum StringOrNumber: Decodable {
    case string(String), number(Double)
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        do {
            self = .string(try container.decode(String.self))
        } catch {
            self = .number(try container.decode(Double.self))
        }
    }
}

private enum AnyValue: Decodable {
    case null, bool(Bool), number(Double), string(String), array([AnyValue]), object([String: AnyValue])
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([AnyValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: AnyValue].self))
        }
    }
}

private struct Careful: Decodable {
    private enum CodingKeys: CodingKey { case asked, nullable, nested }
    private enum NestedKeys: CodingKey { case list }
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        if container.contains(.asked) { _ = try container.decode(Bool.self, forKey: .asked) }
        if try !container.decodeNil(forKey: .nullable) { _ = try container.decode(Bool.self, forKey: .nullable) }
        let nested = try container.nestedContainer(keyedBy: NestedKeys.self, forKey: .nested)
        var list = try nested.nestedUnkeyedContainer(forKey: .list)
        while !list.isAtEnd { _ = try list.decode(String.self) }
    }
}

private struct AnyKey: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

private struct Bag: Decodable {
    var flags: [String: Bool] = [:]
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: AnyKey.self)
        for key in container.allKeys { flags[key.stringValue] = try container.decode(Bool.self, forKey: key) }
    }
}

private struct Stack<Element: Codable>: Codable {
    var elements: [Element] = []
    init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        while !container.isAtEnd { elements.append(try container.decode(Element.self)) }
    }
}

private struct Bottomless: Decodable {
    init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        while true { _ = try container.decode(Int.self) }
    }
}

private struct Spiral: Decodable {
    init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        _ = try Spiral(from: container.superDecoder())
    }
}

private struct Concurrent: Codable { var colour: Colour }

private struct Refusal: Error, CustomStringConvertible { var description: String }

// swift-format-ignore
private enum Many: String, Codable {
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
