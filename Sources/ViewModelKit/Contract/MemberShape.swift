import Synchronization

/// The shape of what a member takes or shows, found when somebody first asks for it.
///
/// Finding one takes a tenth of a millisecond or two for each type of value, nearly all of it for questions about types that
/// nobody has asked Swift before. A type that is hosted has dozens of them, of which most daemons are asked for none until
/// somebody discovers them.
package final class MemberShape: Sendable {
    private let find: @Sendable () throws(SchemaError) -> Schema?
    private let found = Mutex<Result<Schema?, SchemaError>?>(nil)
    /// The bits of ``reading()`` beside ``isKnown``; 0 while it is not known.
    private let knownReading = Atomic<UInt8>(0)

    private static let isKnown: UInt8 = 1 << 7

    init(_ find: @escaping @Sendable () throws(SchemaError) -> Schema?) {
        self.find = find
    }

    /// The schema; nil where there is no value.
    ///
    /// - Throws: ``SchemaError`` when the shape of a value cannot be told, each time.
    package func schema() throws(SchemaError) -> Schema? {
        try found.withLock { found -> Result<Schema?, SchemaError> in
            if let found { return found }
            let result = Result { () throws(SchemaError) in try find() }
            found = result
            return result
        }
        .get()
    }

    /// How the value is read from params.
    ///
    /// - Throws: as ``schema()``.
    package func reading() throws(SchemaError) -> ParameterReading {
        let known = knownReading.load(ordering: .relaxed)
        if known != 0 { return ParameterReading(bits: known) }
        let reading = ParameterReading(of: try schema())
        knownReading.store(reading.bits | Self.isKnown, ordering: .relaxed)
        return reading
    }
}

/// What has to be known of a type to read a value of it from params (protocol, section 6).
package struct ParameterReading: Sendable {
    /// Whether there is a value at all.
    package let takesValue: Bool
    /// Whether the value's members are the params.
    package let isObject: Bool
    /// Whether what is found must not be repeated.
    package let isSecret: Bool

    init(of schema: Schema?) {
        takesValue = schema != nil
        isObject = schema?.isObject ?? false
        isSecret = schema?.isSecret ?? false
    }

    /// The same as a number.
    fileprivate init(bits: UInt8) {
        takesValue = bits & 1 != 0
        isObject = bits & 2 != 0
        isSecret = bits & 4 != 0
    }

    fileprivate var bits: UInt8 { (takesValue ? 1 : 0) | (isObject ? 2 : 0) | (isSecret ? 4 : 0) }
}
