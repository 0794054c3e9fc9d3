import Synchronization

/// The schema of a member's value, which is found on first use.
///
/// That takes 0.1 to 0.2 ms for each type of value, mostly for conformance checks that Swift has not cached yet. A
/// hosted type has dozens of values, and most daemons need no schema of them until a client calls `rpc.discover`.
package final class MemberShape: Sendable {
    private let find: @Sendable () throws(SchemaError) -> Schema?
    private let found = Mutex<Result<Schema?, SchemaError>?>(nil)
    /// The bits of ``reading()`` with ``isKnown``, or 0 while they are unknown.
    private let knownReading = Atomic<UInt8>(0)

    private static let isKnown: UInt8 = 1 << 7

    init(_ find: @escaping @Sendable () throws(SchemaError) -> Schema?) {
        self.find = find
    }

    /// Returns the schema, or nil if the member has no value.
    ///
    /// - Throws: ``SchemaError`` on each call when a value has no schema.
    package func schema() throws(SchemaError) -> Schema? {
        try found.withLock { found -> Result<Schema?, SchemaError> in
            if let found { return found }
            let result = Result { () throws(SchemaError) in try find() }
            found = result
            return result
        }
        .get()
    }

    /// Returns how the value is read from params.
    ///
    /// - Throws: ``SchemaError`` on each call when a value has no schema.
    package func reading() throws(SchemaError) -> ParameterReading {
        let known = knownReading.load(ordering: .relaxed)
        if known != 0 { return ParameterReading(bits: known) }
        let reading = ParameterReading(of: try schema())
        knownReading.store(reading.bits | Self.isKnown, ordering: .relaxed)
        return reading
    }
}

/// The facts about a type that are needed to read its value from params (protocol, section 6).
package struct ParameterReading: Sendable {
    /// Whether the member has a value.
    package let takesValue: Bool
    /// Whether the members of the value are the params themselves.
    package let isObject: Bool
    /// Whether errors must not name the value that was found.
    package let isSecret: Bool

    init(of schema: Schema?) {
        takesValue = schema != nil
        isObject = schema?.isObject ?? false
        isSecret = schema?.isSecret ?? false
    }

    /// Creates the facts from their bits.
    fileprivate init(bits: UInt8) {
        takesValue = bits & 1 != 0
        isObject = bits & 2 != 0
        isSecret = bits & 4 != 0
    }

    fileprivate var bits: UInt8 { (takesValue ? 1 : 0) | (isObject ? 2 : 0) | (isSecret ? 4 : 0) }
}
