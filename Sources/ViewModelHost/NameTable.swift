/// A hash table keyed by the bytes of names, so that a look-up creates no `String`.
struct NameTable<Value> {
    fileprivate struct Entry {
        let name: [UInt8]
        var value: Value
    }

    private var buckets: [[Entry]]
    private(set) var count = 0

    init(_ values: [(String, Value)] = []) {
        var size = 4
        while size < values.count { size *= 2 }
        buckets = Array(repeating: [], count: size)
        for (name, value) in values {
            self[Array(name.utf8)] = value
        }
    }

    func find(_ name: UnsafeRawBufferPointer) -> Value? {
        for entry in buckets[bucket(of: name)] where entry.name.count == name.count {
            if entry.name.elementsEqual(name) { return entry.value }
        }
        return nil
    }

    func find(_ name: String) -> Value? {
        var name = name
        return name.withUTF8 { find(UnsafeRawBufferPointer($0)) }
    }

    subscript(name: [UInt8]) -> Value? {
        get { name.withUnsafeBytes { find($0) } }
        set {
            let bucket = name.withUnsafeBytes { self.bucket(of: $0) }
            if let index = buckets[bucket].firstIndex(where: { $0.name == name }) {
                if let newValue {
                    buckets[bucket][index].value = newValue
                } else {
                    buckets[bucket].remove(at: index)
                    count -= 1
                }
            } else if let newValue {
                buckets[bucket].append(Entry(name: name, value: newValue))
                count += 1
                if count > 2 * buckets.count { grow() }
            }
        }
    }

    private mutating func grow() {
        let old = Array(buckets.joined())
        buckets = Array(repeating: [], count: buckets.count * 4)
        for entry in old {
            buckets[entry.name.withUnsafeBytes { bucket(of: $0) }].append(entry)
        }
    }

    /// Returns the bucket by FNV-1a.
    ///
    /// Names are short, and clients create few of them (`limits.instancesPerSession`).
    private func bucket(of name: UnsafeRawBufferPointer) -> Int {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in name {
            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
        }
        return Int(truncatingIfNeeded: hash ^ (hash >> 32)) & (buckets.count - 1)
    }
}

extension NameTable: Sendable where Value: Sendable {}
extension NameTable.Entry: Sendable where Value: Sendable {}
