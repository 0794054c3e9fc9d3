/// The form of a value on the wire, or of no value.
///
/// `@ViewModel` generates it. Authors do not create one.
public struct ValueForm<Value>: Sendable {
    let shape: MemberShape
    let decode: @Sendable (SentValue) throws -> Value
    /// Returns the JSON text of a value, which is null if there is no value.
    let encode: @Sendable (Value, Graph) throws -> [UInt8]

    package init(
        shape: MemberShape,
        decode: @escaping @Sendable (SentValue) throws -> Value,
        encode: @escaping @Sendable (Value, Graph) throws -> [UInt8]
    ) {
        self.shape = shape
        self.decode = decode
        self.encode = encode
    }
}

extension ValueForm where Value: Schemable {
    /// Returns the form of a value with bounds.
    public static func value(_ bounds: Bounds? = nil) -> Self {
        Self(
            shape: MemberShape {
                let schema = Schema.of(Value.self)
                return bounds.map(schema.bounded) ?? schema
            },
            decode: { try $0.decode(Value.self) },
            encode: { try $1.encode($0) }
        )
    }
}

extension ValueForm where Value == Void {
    /// The form of a member without a value.
    public static var nothing: Self {
        Self(shape: MemberShape { nil }, decode: { _ in }, encode: { _, _ in Array("null".utf8) })
    }
}
