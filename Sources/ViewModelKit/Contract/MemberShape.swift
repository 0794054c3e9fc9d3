import Synchronization

/// The schema of a member's value, which is read on first use.
///
/// A hosted type has dozens of values, and most daemons need no schema of them until a client calls `rpc.discover`.
package final class MemberShape: Sendable {
    private let find: @Sendable () -> Schema?
    /// The bits of ``reading`` with ``isKnown``, or 0 while they are unknown.
    private let knownReading = Atomic<UInt8>(0)

    /// The address of the retained check of bounds, or 0.
    ///
    /// An `AtomicLazyReference` costs 600 instructions a load in Swift 6.3, on the way of each input with bounds.
    private let knownBounds = Atomic<UInt>(0)

    private static let isKnown: UInt8 = 1 << 7

    package init(_ find: @escaping @Sendable () -> Schema?) {
        self.find = find
    }

    /// Creates the shape of a value of a type.
    convenience init<Value: Schemable>(of type: Value.Type, _ bounds: Bounds?) {
        self.init {
            let schema = Schema.of(type)
            return bounds.map(schema.bounded) ?? schema
        }
    }

    /// The check of the bounds in the value, or nil if there are none.
    ///
    /// It is known once ``reading`` was read.
    /// The shape keeps it alive.
    package var bounds: Unmanaged<BoundsCheck>? {
        guard let address = UnsafeRawPointer(bitPattern: knownBounds.load(ordering: .acquiring)) else { return nil }
        return Unmanaged.fromOpaque(address)
    }

    deinit { bounds?.release() }

    /// The schema with the names, descriptions and bounds of its types, or nil if the member has no value.
    package var schema: Schema? { find() }

    /// The way in which the value is read from params.
    package var reading: ParameterReading {
        let known = knownReading.load(ordering: .acquiring)
        if known != 0 { return ParameterReading(bits: known) }
        let schema = find()
        let bounds = schema.flatMap { BoundsCheck(of: $0) }
        if let bounds { keep(bounds) }
        let reading = ParameterReading(of: schema, isBounded: bounds != nil)
        knownReading.store(reading.bits | Self.isKnown, ordering: .releasing)
        return reading
    }

    /// Keeps a check, unless another thread was first.
    private func keep(_ bounds: BoundsCheck) {
        let kept = Unmanaged.passRetained(bounds)
        let address = UInt(bitPattern: kept.toOpaque())
        if !knownBounds.compareExchange(expected: 0, desired: address, ordering: .acquiringAndReleasing).exchanged {
            kept.release()
        }
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
    /// Whether parts of the value have bounds.
    package let isBounded: Bool

    init(of schema: Schema?, isBounded: Bool) {
        takesValue = schema != nil
        isObject = schema?.isObject ?? false
        isSecret = schema?.isSecret ?? false
        self.isBounded = isBounded
    }

    /// Creates the facts from their bits.
    fileprivate init(bits: UInt8) {
        takesValue = bits & 1 != 0
        isObject = bits & 2 != 0
        isSecret = bits & 4 != 0
        isBounded = bits & 8 != 0
    }

    fileprivate var bits: UInt8 { (takesValue ? 1 : 0) | (isObject ? 2 : 0) | (isSecret ? 4 : 0) | (isBounded ? 8 : 0) }
}
