/// One run of a type's `init(from:)` with made-up input, and the record of its reads.
final class SchemaTrial {
    /// The schema that the initialiser has shown.
    let node = SchemaNode()
    /// The number of an enum's cases.
    ///
    /// The initialiser reads different values for each of them.
    private(set) var choices = 0
    /// The number of single values that are still refused before one is returned.
    private(set) var refusals: Int
    /// The error of a type inside of this type that has no schema or value.
    private(set) var failure: SchemaError?
    /// The error that the initialiser threw itself.
    private(set) var refusal: String?

    /// Whether the trial records schemas, or only makes a value.
    let records: Bool
    private let probe: SchemaProbe
    private let offer: SchemaOffer
    private let choice: Int
    private let isEnum: Bool
    /// The number of reads that are left.
    ///
    /// It ends an initialiser that reads forever.
    private var budget = 10_000

    init(
        _ probe: SchemaProbe,
        _ type: Any.Type,
        records: Bool,
        offer: SchemaOffer = SchemaOffer(),
        choice: Int = 0,
        refusals: Int = 0
    ) {
        self.probe = probe
        self.records = records
        self.offer = offer
        self.choice = choice
        self.refusals = refusals
        isEnum = SchemaCases.isEnum(type)
    }

    /// Makes a value of the type.
    ///
    /// Returns nil if the initialiser threw, or if a type inside of it failed.
    func run<T: Decodable>(_ type: T.Type) -> T? {
        do {
            let value = try T(from: SchemaDecoder(trial: self, node: node))
            return failure == nil ? value : nil
        } catch let DecodingError.dataCorrupted(context) {
            refusal = context.debugDescription
        } catch {
            refusal = "\(error)"
        }
        return nil
    }

    /// Returns a value, and its schema if schemas are recorded.
    func take<T: Decodable>(_ type: T.Type) throws -> (value: T, schema: Schema) {
        let schema = try schema(of: type)
        if let leaf = SchemaLeaves.find(type), let value = leaf.placeholder(offer) as? T { return (value, schema) }
        return (try noting { () throws(SchemaError) in try probe.value(of: type) }, schema)
    }

    /// Returns the schema of a type if schemas are recorded, and ``Schema/any`` otherwise.
    func schema(of type: any Decodable.Type) throws -> Schema {
        budget -= 1
        guard budget > 0 else { throw SchemaExhaustion() }
        return records ? try noting { () throws(SchemaError) in try probe.schema(of: type) } : .any
    }

    /// Throws instead of returning a single value while values are to be refused.
    func refuse(_ path: [any CodingKey]) throws {
        guard refusals > 0 else { return }
        refusals -= 1
        throw DecodingError.dataCorrupted(DecodingError.Context(codingPath: path, debugDescription: "Refused"))
    }

    /// Returns the keys that an initialiser finds in an object: for an enum the chosen case, for other types all keys.
    ///
    /// Returns nil if the keys are not an enum without associated values.
    func keys<Key: CodingKey>(_ type: Key.Type, in node: SchemaNode) -> [Key]? {
        guard let keys = SchemaCases.values(of: type) else { return nil }
        guard isEnum, node === self.node else { return keys }
        choices = keys.count
        return keys.indices.contains(choice) ? [keys[choice]] : []
    }

    /// Keeps the first error, even if the initialiser catches it.
    private func noting<Value>(_ body: () throws(SchemaError) -> Value) throws(SchemaError) -> Value {
        do throws(SchemaError) {
            return try body()
        } catch {
            failure = failure ?? error
            throw error
        }
    }
}

/// An error that ends an initialiser that reads forever.
struct SchemaExhaustion: Error, CustomStringConvertible {
    var description: String { "It reads on for ever" }
}
