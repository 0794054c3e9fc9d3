import Synchronization
package import ViewModelContract

/// The schema of a member's value, which is read on first use.
///
/// A hosted type has dozens of values, and most daemons need no schema of them until a client calls `rpc.discover`.
package final class MemberShape: Sendable {
    private let find: @Sendable () -> Schema?
    /// The address of the retained ``reading``, or 0 while it is unknown.
    ///
    /// An `AtomicLazyReference` costs 600 instructions a load in Swift 6.3, on the way of each call.
    private let known = Atomic<UInt>(0)

    package init(_ find: @escaping @Sendable () -> Schema?) {
        self.find = find
    }

    /// The schema with the names, descriptions and bounds of its types, or nil if the member has no value.
    package var schema: Schema? { find() }

    /// The way in which the value is read from params.
    package var reading: ParameterReading {
        if let reading = Self.reading(at: known.load(ordering: .acquiring)) { return reading.takeUnretainedValue() }
        let reading = ParameterReading(of: find())
        let kept = Unmanaged.passRetained(reading)
        let address = UInt(bitPattern: kept.toOpaque())
        // Another thread may have been first.
        if !known.compareExchange(expected: 0, desired: address, ordering: .acquiringAndReleasing).exchanged {
            kept.release()
        }
        return reading
    }

    deinit { Self.reading(at: known.load(ordering: .acquiring))?.release() }

    private static func reading(at address: UInt) -> Unmanaged<ParameterReading>? {
        UnsafeRawPointer(bitPattern: address).map(Unmanaged.fromOpaque)
    }
}

/// How a value is read from params, by its type (protocol, section 6).
package final class ParameterReading: Sendable {
    /// Whether the member has a value.
    package let takesValue: Bool
    /// Whether the members of the value are the params themselves.
    package let isObject: Bool
    /// Whether errors must not name the value that was found.
    package let isSecret: Bool
    /// The check of the value, or nil for a value without bounds.
    let check: ValueCheck?
    /// The range if all values are integers, or nil.
    ///
    /// It is read without a count of references, on the way of each call.
    let integers: ClosedRange<Int>?

    init(of schema: Schema?) {
        takesValue = schema != nil
        isObject = schema?.isObject ?? false
        isSecret = schema?.isSecret ?? false
        check = schema.flatMap { ValueCheck(of: $0) }
        integers = check?.integers
    }
}

extension ValueCheck {
    /// Creates the check of a value with the schema that the contract shows for it; nil for a schema without bounds.
    ///
    /// The decoding of the value checks the rest.
    package convenience init?(of schema: Schema) {
        guard schema.hasBounds else { return nil }
        var document = SchemaDocument()
        let received = document.received(schema)
        self.init(received, document.definitions)
    }
}
