/// A value in a box, for a type that contains itself.
public indirect enum Indirect<Value> {
    /// The value.
    case box(Value)

    /// Creates a box.
    public init(_ value: Value) {
        self = .box(value)
    }

    /// The value in the box.
    public var value: Value {
        get {
            switch self {
            case .box(let value): value
            }
        }
        set { self = .box(newValue) }
    }
}

extension Indirect: Sendable where Value: Sendable {}
extension Indirect: Equatable where Value: Equatable {}
extension Indirect: Hashable where Value: Hashable {}

extension Indirect: Decodable where Value: Decodable {
    /// Reads the value.
    public init(from decoder: any Decoder) throws {
        self = .box(try Value(from: decoder))
    }
}

extension Indirect: Encodable where Value: Encodable {
    /// Writes the value.
    public func encode(to encoder: any Encoder) throws {
        try value.encode(to: encoder)
    }
}
