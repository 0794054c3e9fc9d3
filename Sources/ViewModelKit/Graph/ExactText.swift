internal import Glibc
import JSONRPC

/// Returns whether two of an author's values are equal and their texts have the same code points.
///
/// Swift treats two forms of one text as equal, such as `é` and `e` with a combining accent. Clients get the code points,
/// so a value whose text has another form is another value. What else counts as equal is the author's choice.
///
/// A value without references costs nothing more than `==`. Neither does one whose text has not been made anew.
@inline(__always)
package func areExactlyEqual<Value: Equatable>(_ left: Value, _ right: Value) -> Bool {
    left == right && (_isPOD(Value.self) || ExactText.haveSameForm(left, right))
}

/// The comparison of texts in values that are equal.
private enum ExactText {
    /// Returns false if a text in a value has another form than in an equal value.
    static func haveSameForm<Value>(_ left: Value, _ right: Value) -> Bool {
        let haveSameBytes = withUnsafePointer(to: left) { left in
            withUnsafePointer(to: right) { memcmp(left, $0, MemoryLayout<Value>.size) == 0 }
        }
        return haveSameBytes || haveSameParts(left, right)
    }

    private static func haveSameParts(_ left: Any, _ right: Any) -> Bool {
        switch (left, right) {
        case (let left as String, let right as String): return left.isExactly(right) || left != right
        case (let left as Substring, let right as Substring): return left.isExactly(right) || left != right
        case (let left as Character, let right as Character):
            return left.unicodeScalars.elementsEqual(right.unicodeScalars) || left != right
        default: break
        }
        let (mirror, other) = (Mirror(reflecting: left), Mirror(reflecting: right))
        switch mirror.displayStyle {
        // Two equal objects are one object for their author.
        case .class: return true
        // Equal sets and dictionaries may have different orders.
        case .set:
            guard let left = left as? Set<AnyHashable>, let right = right as? Set<AnyHashable> else { return true }
            return left.allSatisfy { element in
                right.firstIndex(of: element).map { isSameForm(element.base, right[$0].base) } ?? true
            }
        case .dictionary:
            guard let left = left as? [AnyHashable: Any], let right = right as? [AnyHashable: Any] else { return true }
            return left.allSatisfy { key, value in
                guard let index = right.index(forKey: key) else { return true }
                return isSameForm(key.base, right[index].key.base) && isSameForm(value, right[index].value)
            }
        default:
            return zip(mirror.children, other.children).allSatisfy { isSameForm($0.value, $1.value) }
        }
    }

    /// Compares two parts as values of their type, which is cheaper than their reflection.
    private static func isSameForm(_ left: Any, _ right: Any) -> Bool {
        func compare<Part>(_ left: Part) -> Bool {
            // An optional or an element may be of a type such as `any Error`.
            guard Part.self == type(of: left as Any) else { return haveSameParts(left, right) }
            return (right as? Part).map { haveSameForm(left, $0) } ?? true
        }
        return _openExistential(left, do: compare)
    }
}

/// An id of a row as a key, so that two forms of one text are two ids.
struct ExactID<ID: Hashable>: Hashable {
    let id: ID

    static func == (left: ExactID, right: ExactID) -> Bool { areExactlyEqual(left.id, right.id) }
}
