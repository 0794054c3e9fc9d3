/// A string that compares by code points, as JSON does.
///
/// Swift's own comparison treats `é` and `e` with a combining accent as equal.
struct ExactString: Hashable {
    var string: String

    init(_ string: String) {
        self.string = string
    }

    static func == (left: ExactString, right: ExactString) -> Bool {
        left.string.utf8.elementsEqual(right.string.utf8)
    }

    func hash(into hasher: inout Hasher) {
        let hashed: Void? = string.utf8.withContiguousStorageIfAvailable { hasher.combine(bytes: Bytes($0)) }
        if hashed == nil { string.utf8.forEach { hasher.combine($0) } }
        hasher.combine(0xFF as UInt8)
    }
}
