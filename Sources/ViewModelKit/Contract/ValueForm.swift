/// The form of a value on the wire, or of no value.
struct ValueForm<Value>: Sendable {
    let shape: MemberShape
    let decode: @Sendable (SentValue) throws -> Value
    /// Returns the JSON text of a value, which is empty if there is no value.
    let encode: @Sendable (Value, any GraphHost) throws -> [UInt8]
}

extension ValueForm where Value: Schemable {
    /// Creates the form of a value whose parts have these bounds.
    init(_ bounds: Bounds? = nil) {
        self.init(
            shape: MemberShape(of: Value.self, bounds),
            decode: { try $0.decode(Value.self) },
            encode: { try $1.encode($0) }
        )
    }
}

extension ValueForm where Value == Void {
    /// The form of a member without a value.
    static var nothing: Self { Self(shape: MemberShape { nil }, decode: { _ in }, encode: { _, _ in [] }) }
}
