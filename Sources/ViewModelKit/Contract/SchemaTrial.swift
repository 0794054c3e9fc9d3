/// One run of a type's `init(from:)`: what it was made to read, and what that showed.
final class SchemaTrial {
    /// What the initialiser showed of the type's shape.
    let node = SchemaNode()
    /// The number of an enum's cases, from each of which the initialiser would go on differently.
    private(set) var choices = 0
    /// The values that are still to be refused before one is handed out.
    private(set) var refusals: Int
    /// The type inside of the type of which there is no shape or value.
    private(set) var failure: SchemaError?
    /// What the initialiser threw of its own.
    private(set) var refusal: String?

    /// Whether shapes are asked for, or just a value.
    let records: Bool
    private let probe: SchemaProbe
    private let offer: SchemaOffer
    private let choice: Int
    private let isEnum: Bool
    /// What is left to be handed out, so that an initialiser that reads for ever comes to an end.
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

    /// Makes a value of the type; nil when it could not be made, or not for certain.
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

    /// Hands out a value, and its shape where that is asked for.
    func take<T: Decodable>(_ type: T.Type) throws -> (value: T, schema: Schema) {
        let schema = try schema(of: type)
        if let leaf = SchemaLeaves.find(type), let value = leaf.placeholder(offer) as? T { return (value, schema) }
        return (try noting { () throws(SchemaError) in try probe.value(of: type) }, schema)
    }

    /// The shape of a type, where it is asked for.
    func schema(of type: any Decodable.Type) throws -> Schema {
        budget -= 1
        guard budget > 0 else { throw SchemaExhaustion() }
        return records ? try noting { () throws(SchemaError) in try probe.schema(of: type) } : .any
    }

    /// Throws instead of handing out a single value as long as some are to be refused.
    func refuse(_ path: [any CodingKey]) throws {
        guard refusals > 0 else { return }
        refusals -= 1
        throw DecodingError.dataCorrupted(DecodingError.Context(codingPath: path, debugDescription: "Refused"))
    }

    /// The keys that an initialiser finds in an object: an enum's finds that of one case, another's all.
    func keys<Key: CodingKey>(_ type: Key.Type, in node: SchemaNode) -> [Key]? {
        guard let keys = SchemaCases.values(of: type) else { return nil }
        guard isEnum, node === self.node else { return keys }
        choices = keys.count
        return keys.indices.contains(choice) ? [keys[choice]] : []
    }

    /// Remembers an error, even if the initialiser forgets about it.
    private func noting<Value>(_ body: () throws(SchemaError) -> Value) throws(SchemaError) -> Value {
        do throws(SchemaError) {
            return try body()
        } catch {
            failure = failure ?? error
            throw error
        }
    }
}

/// Ends an initialiser that does not come to an end.
struct SchemaExhaustion: Error, CustomStringConvertible {
    var description: String { "It reads on for ever" }
}
