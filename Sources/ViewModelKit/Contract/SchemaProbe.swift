/// Finds shapes of types, and values of them, by running `init(from:)` with made-up input.
final class SchemaProbe {
    /// The types whose shape is being found, from the outside in.
    private var path: [ObjectIdentifier] = []
    /// The types in `path` that occurred again.
    private var referenced: Set<ObjectIdentifier> = []
    /// The shapes that need nothing of `path` to be understood.
    private var known: [ObjectIdentifier: Schema] = [:]

    /// The types of which a value is being made.
    private var underway: Set<ObjectIdentifier> = []
    /// The values that were made, and the types of which there is none.
    private var values: [ObjectIdentifier: Result<Any, SchemaError>] = [:]

    /// A type nested deeper grows with each level: it is generic and contains itself with another argument.
    static let depth = 100

    /// The shape of a type.
    func schema<T: Decodable>(of type: T.Type) throws(SchemaError) -> Schema {
        if let leaf = SchemaLeaves.find(type) { return try leaf.schema(self) }
        if let given = type as? any SchemaProviding.Type { return given.schema }
        let id = ObjectIdentifier(type)
        if let schema = known[id] { return schema }
        if path.contains(id) {
            referenced.insert(id)
            return .reference(name(of: type))
        }
        guard path.count < Self.depth else { throw SchemaError(type, "it is nested too deeply") }

        let outer = referenced
        path.append(id)
        referenced = []
        defer {
            path.removeLast()
            referenced.formUnion(outer)
        }
        var schema = try shape(of: type)
        if referenced.remove(id) != nil { schema = .definition(name(of: type), schema) }
        if referenced.isEmpty { known[id] = schema }
        return schema
    }

    /// The least value of a type that will do.
    func value<T: Decodable>(of type: T.Type) throws(SchemaError) -> T {
        if let leaf = SchemaLeaves.find(type), let value = leaf.placeholder(SchemaOffer()) as? T { return value }
        let id = ObjectIdentifier(type)
        if let result = values[id], let value = try result.get() as? T { return value }
        // The least value of a type contains no other of the same type, so it is found without going in circles.
        guard underway.insert(id).inserted else { throw SchemaError(type, "each of its values contains another one") }
        defer { underway.remove(id) }
        let result: Result<T, SchemaError>
        do throws(SchemaError) {
            result = .success(try makeValue(of: type))
        } catch {
            result = .failure(error)
        }
        // What fails inside of another type may only fail because that one is underway.
        if case .success(let value) = result { values[id] = .success(value) }
        if case .failure(let error) = result, underway.count == 1 { values[id] = .failure(error) }
        return try result.get()
    }
}

extension SchemaProbe {
    /// The shape of a type that has to be tried.
    private func shape<T: Decodable>(of type: T.Type) throws(SchemaError) -> Schema {
        if let cases = SchemaCases.values(of: type), let shape = enumeration(type, cases) { return shape }

        let first = try trial(of: type, choice: 0)
        var alternatives = [first.node.schema]
        for choice in 1..<max(first.choices, 1) {
            alternatives.append(try trial(of: type, choice: choice).node.schema)
        }
        if first.node.isSingle, !(type is any RawRepresentable.Type) {
            alternatives += try fallbacks(of: type)
        }
        let schema = Schema.either(alternatives)
        return first.node.isNull ? schema.orNull : schema
    }

    /// The shape of an enum that is decoded from its raw values.
    private func enumeration<T: Decodable>(_ type: T.Type, _ cases: [T]) -> Schema? {
        let raws = cases.compactMap { ($0 as? any RawRepresentable)?.rawValue }
        guard raws.count == cases.count, let offer = raws.first.flatMap(SchemaOffer.init(raw:)) else { return nil }
        let trial = SchemaTrial(self, type, records: true, offer: offer)
        guard trial.run(type) != nil else { return nil }
        switch trial.node.schema {
        case .string: return .enumeration(raws.compactMap { $0 as? String })
        case .integer: return .integerEnumeration(raws.compactMap { ($0 as? any BinaryInteger).map { Int128($0) } })
        default: return nil
        }
    }

    /// A run that tells the shape of a type, or of one of an enum's cases.
    private func trial<T: Decodable>(of type: T.Type, choice: Int) throws(SchemaError) -> SchemaTrial {
        var first: SchemaTrial?
        for offer in SchemaOffer.all {
            let trial = SchemaTrial(self, type, records: true, offer: offer, choice: choice)
            if trial.run(type) != nil { return trial }
            if let failure = trial.failure { throw failure }
            first = first ?? trial
        }
        // A single value that is refused has been seen all the same.
        if let first, first.node.isSingle { return first }
        throw refusal(of: type, first)
    }

    /// What a hand-written initialiser reads when it does not find what it looks for first.
    private func fallbacks<T: Decodable>(of type: T.Type) throws(SchemaError) -> [Schema] {
        var schemas: [Schema] = []
        for refusals in 1...16 {
            let trial = SchemaTrial(self, type, records: true, refusals: refusals)
            _ = trial.run(type)
            if let failure = trial.failure { throw failure }
            guard trial.refusals == 0, trial.node.isSingle else { break }
            schemas.append(trial.node.schema)
        }
        return schemas
    }

    /// A value of a type that has to be tried.
    private func makeValue<T: Decodable>(of type: T.Type) throws(SchemaError) -> T {
        var offers = SchemaOffer.all
        if let given = type as? any SchemaProviding.Type {
            if let example = given.example as? T { return example }
            if let offer = SchemaOffer(given.schema) { offers.insert(offer, at: 0) }
        }
        if let cases = SchemaCases.values(of: type), let value = cases.first { return value }

        var first: SchemaTrial?
        var choice = 0
        repeat {
            for offer in offers {
                let trial = SchemaTrial(self, type, records: false, offer: offer, choice: choice)
                if let value = trial.run(type) { return value }
                first = first ?? trial
                if trial.failure != nil { break }
            }
            choice += 1
        } while choice < first?.choices ?? 0
        if let failure = first?.failure { throw failure }
        throw refusal(of: type, first)
    }

    private func refusal(of type: Any.Type, _ trial: SchemaTrial?) -> SchemaError {
        let isCases = SchemaCases.isEnum(type) && type is any RawRepresentable.Type
        return SchemaError(
            type,
            "its init(from:) accepts none of the values that were tried" + (trial?.refusal.map { " (\($0))" } ?? ""),
            remedy: isCases ? "Make it CaseIterable, or conform it to SchemaProviding" : "Conform it to SchemaProviding"
        )
    }

    /// A name for a type that may be a key among a document's components.
    private func name(of type: Any.Type) -> String {
        SchemaError.name(of: type).replacing(/[^A-Za-z0-9._\-]+/, with: "_")
    }
}

extension SchemaOffer {
    /// Offers an enum's raw value.
    init?(raw: Any) {
        if let string = raw as? String {
            self.init(string: string)
        } else if let integer = raw as? any BinaryInteger {
            self.init(integer: Int128(clamping: integer))
        } else {
            return nil
        }
    }

    /// Offers what a schema allows, where that is known to be special.
    init?(_ schema: Schema) {
        switch schema {
        case .enumeration(let strings): self.init(string: strings.first ?? "")
        case .integerEnumeration(let integers): self.init(integer: integers.first ?? 0)
        case .integer(let range?): self.init(integer: range.lowerBound)
        default: return nil
        }
    }
}

extension SchemaProviding {
    /// The example, without its type.
    fileprivate static var example: Any? { schemaExample }
}
