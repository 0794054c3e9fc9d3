internal import Glibc

/// A string that compares by code points, as JSON does.
///
/// Swift's own comparison treats `é` and `e` with a combining accent as equal, and so the look-up in a `Set` or a
/// `Dictionary`. A table whose keys come from a message, an argument or a file has keys of this type.
package struct ExactString: Hashable, Sendable {
    package let string: String

    package init(_ string: String) {
        self.string = string
    }

    /// Returns whether two strings have the same code points.
    package static func == (left: ExactString, right: ExactString) -> Bool {
        left.string.isExactly(right.string)
    }

    /// Hashes the code points.
    package func hash(into hasher: inout Hasher) {
        let hashed: Void? = string.utf8.withContiguousStorageIfAvailable { hasher.combine(bytes: Bytes($0)) }
        if hashed == nil { string.utf8.forEach { hasher.combine($0) } }
        hasher.combine(0xFF as UInt8)
    }
}

extension StringProtocol {
    /// Returns whether two strings have the same code points.
    package func isExactly(_ other: some StringProtocol) -> Bool {
        utf8.elementsEqual(other.utf8)
    }
}

extension String {
    /// Returns whether two strings have the same code points, at the cost of one comparison of memory.
    package func isExactly(_ other: String) -> Bool {
        let isSame = utf8.withContiguousStorageIfAvailable { left in
            other.utf8.withContiguousStorageIfAvailable { right in
                guard left.count == right.count, let start = left.baseAddress, let other = right.baseAddress else {
                    return left.count == right.count
                }
                return memcmp(start, other, left.count) == 0
            }
        }
        return (isSame ?? nil) ?? utf8.elementsEqual(other.utf8)
    }
}

extension Sequence<String> {
    /// Returns whether an element has the code points of a string.
    package func containsExactly(_ string: String) -> Bool {
        contains { $0.isExactly(string) }
    }
}
