import Synchronization

/// The schema of a member's value, which is read on first use.
///
/// A hosted type has dozens of values, and most daemons need no schema of them until a client calls `rpc.discover`.
package final class MemberShape: Sendable {
    private let find: @Sendable () -> Schema?
    /// The bits of ``reading`` with ``isKnown``, or 0 while they are unknown.
    private let knownReading = Atomic<UInt8>(0)

    private static let isKnown: UInt8 = 1 << 7

    package init(_ find: @escaping @Sendable () -> Schema?) {
        self.find = find
    }

    /// The schema, or nil if the member has no value.
    package var schema: Schema? { find()?.resolved }

    /// The way in which the value is read from params.
    package var reading: ParameterReading {
        let known = knownReading.load(ordering: .relaxed)
        if known != 0 { return ParameterReading(bits: known) }
        let reading = ParameterReading(of: schema)
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
