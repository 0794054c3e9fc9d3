/// The look-up of the cases of enums, including enums that are not `CaseIterable`.
enum SchemaCases {
    /// Returns whether a type is an enum.
    ///
    /// An optional does not count.
    static func isEnum(_ type: Any.Type) -> Bool {
        kind(of: type) == enumKind
    }

    /// Returns all values of an enum whose cases have no associated values, in the order of their declaration.
    ///
    /// Returns nil if the type is not such an enum, or if its memory layout is not certain.
    static func values<T>(of type: T.Type) -> [T]? {
        guard isEnum(type) else { return nil }
        if let iterable = type as? any CaseIterable.Type { return allCases(of: iterable) as? [T] }
        guard let count = count(of: type) else { return nil }
        switch (count, MemoryLayout<T>.size) {
        case (0, 0): return []
        case (1, 0): return [unsafeBitCast((), to: type)]
        case (2..<256, 1) where marks(UInt8(count), type):
            return (0..<count).map { unsafeBitCast(UInt8($0), to: type) }
        case (257..<65_536, 2) where marks(UInt16(count), type):
            return (0..<count).map { unsafeBitCast(UInt16($0), to: type) }
        default: return nil
        }
    }

    private static func allCases<C: CaseIterable>(of type: C.Type) -> Any {
        // `allCases` is nearly always an array. The cast avoids a conformance check of the collection.
        C.allCases as? [C] ?? Array(C.allCases)
    }

    /// Returns whether a struct or an enum has type parameters.
    static func isGeneric(_ type: Any.Type) -> Bool {
        switch kind(of: type) {
        case structKind, enumKind: descriptor(of: type).load(as: UInt32.self) & 0x80 != 0
        case optionalKind: true
        default: false
        }
    }

    private static let structKind = 0x200
    private static let enumKind = 0x201
    private static let optionalKind = 0x202

    private static func kind(of type: Any.Type) -> Int {
        unsafeBitCast(type, to: UnsafePointer<Int>.self).pointee
    }

    /// Returns the type descriptor of a struct or an enum, which all of its specialisations share.
    ///
    /// For its layout see <https://github.com/swiftlang/swift/blob/main/docs/ABI/TypeMetadata.rst>.
    private static func descriptor(of type: Any.Type) -> UnsafeRawPointer {
        unsafeBitCast(type, to: UnsafePointer<UnsafeRawPointer>.self)[1]
    }

    /// Returns the number of cases, or nil if a case has associated values.
    private static func count(of type: Any.Type) -> Int? {
        let descriptor = descriptor(of: type)
        let payloadCases = descriptor.load(fromByteOffset: 20, as: UInt32.self) & 0x00FF_FFFF
        let emptyCases = descriptor.load(fromByteOffset: 24, as: UInt32.self)
        return payloadCases == 0 ? Int(emptyCases) : nil
    }

    /// Returns whether `pattern` is the first bit pattern that is not a case.
    ///
    /// All patterns below it are cases then.
    ///
    /// An optional uses that pattern for nil. Enums from C, whose patterns are their raw values, have no such pattern.
    private static func marks<T, Pattern: FixedWidthInteger>(_ pattern: Pattern, _ type: T.Type) -> Bool {
        MemoryLayout<T?>.size == MemoryLayout<Pattern>.size
            && unsafeBitCast(T?.none, to: Pattern.self) == pattern
    }
}
