/// A search for the schemas and the values of types, which runs `init(from:)` with made-up input.
final class SchemaProbe {
    /// The types whose schema is being found, from the outside in.
    private var path: [ObjectIdentifier] = []
    /// The types in `path` that occurred again.
    private var referenced: Set<ObjectIdentifier> = []
    /// The schemas that contain no reference to a type in `path`.
    private var known: [ObjectIdentifier: Schema] = [:]

    /// The types of which a value is being made.
    private var underway: Set<ObjectIdentifier> = []
    /// The values that were made, and the errors of the types without one.
    private var values: [ObjectIdentifier: Result<Any, SchemaError>] = [:]

    /// The largest depth of nesting.
    ///
    /// Only a generic type that contains itself with another argument nests deeper.
    static let depth = 100

    /// Returns the schema of a type.
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

    /// Returns a minimal value of a type.
    func value<T: Decodable>(of type: T.Type) throws(SchemaError) -> T {
        if let leaf = SchemaLeaves.find(type), let value = leaf.placeholder(SchemaOffer()) as? T { return value }
        let id = ObjectIdentifier(type)
        if let result = values[id], let value = try result.get() as? T { return value }
        // A minimal value of a type contains no other value of the same type, so recursion means that the type has
        // none.
        guard underway.insert(id).inserted else { throw SchemaError(type, "each of its values contains another one") }
        defer { underway.remove(id) }
        let result: Result<T, SchemaError>
        do throws(SchemaError) {
            result = .success(try makeValue(of: type))
        } catch {
            result = .failure(error)
        }
        // An error inside of another type is not kept, because the type may fail only while the other one is being
        // made.
        if case .success(let value) = result { values[id] = .success(value) }
        if case .failure(let error) = result, underway.count == 1 { values[id] = .failure(error) }
        return try result.get()
    }
}

extension SchemaProbe {
    /// Returns the schema of a type whose initialiser must be run.
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

    /// Returns the schema of an enum that is decoded from its raw values, or nil if the type is not one.
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

    /// Returns a trial that shows the schema of a type, or of one case of an enum.
    private func trial<T: Decodable>(of type: T.Type, choice: Int) throws(SchemaError) -> SchemaTrial {
        var first: SchemaTrial?
        for offer in SchemaOffer.all {
            let trial = SchemaTrial(self, type, records: true, offer: offer, choice: choice)
            if trial.run(type) != nil { return trial }
            if let failure = trial.failure { throw failure }
            first = first ?? trial
        }
        // A single value that the initialiser refuses has shown its schema already.
        if let first, first.node.isSingle { return first }
        throw refusal(of: type, first)
    }

    /// Returns the schemas that a hand-written initialiser reads after its first choices were refused.
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

    /// Returns a value of a type whose initialiser must be run.
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

    /// Returns a name for a type that is valid as a key among a document's components.
    private func name(of type: Any.Type) -> String {
        SchemaError.name(of: type).replacing(/[^A-Za-z0-9._\-]+/, with: "_")
    }
}

extension SchemaOffer {
    /// Creates the offer of an enum's raw value.
    init?(raw: Any) {
        if let string = raw as? String {
            self.init(string: string)
        } else if let integer = raw as? any BinaryInteger {
            self.init(integer: Int128(clamping: integer))
        } else {
            return nil
        }
    }

    /// Creates an offer that a schema allows, or nil if the schema has no special values.
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
    /// The example as `Any`, for a type that is known only as an existential.
    fileprivate static var example: Any? { schemaExample }
}
