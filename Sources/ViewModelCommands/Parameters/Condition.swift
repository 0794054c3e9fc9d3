import ArgumentParser
import ViewModelClient

/// What `viewmodelctl wait` waits for: `OUTPUT=VALUE`, `OUTPUT!=VALUE`, or a change of `OUTPUT`.
///
/// The output may be followed by a JSON Pointer to a part of its value.
struct Condition: Equatable, Sendable, CustomStringConvertible {
    let output: String
    let pointer: JSONPointer
    /// The text that the value is compared with; nil for a value that differs from the first one.
    let expected: String?
    /// Whether the value must differ from the expected one.
    let isNegated: Bool

    /// Parses an argument; without `=` it stands for a change.
    init(parsing argument: String) throws {
        var path = argument.halves?.name ?? Substring(argument)
        expected = argument.halves.map { String($0.value) }
        isNegated = expected != nil && path.utf8.last == UInt8(ascii: "!")
        if isNegated { path = path.dropLast() }
        let slash = path.utf8.firstIndex(of: UInt8(ascii: "/")) ?? path.endIndex
        output = String(path[..<slash])
        guard !output.isEmpty, let pointer = JSONPointer(String(path[slash...])) else {
            throw ValidationError("\"\(argument)\" is not OUTPUT=VALUE, as in undo.enabled=true or rows/0/text=milk")
        }
        self.pointer = pointer
    }

    var path: String { "\(output)\(pointer)" }

    var description: String {
        expected.map { "\(path)\(isNegated ? "!=" : "=")\($0)" } ?? "\(path) --change"
    }

    /// Returns whether a value equals a text as JSON, or is a string with this text.
    static func equals(_ value: JSONValue?, _ text: String) -> Bool {
        if case .string(let string)? = value, string.isExactly(text) { return true }
        return value != nil && JSONValue(text: text) == value
    }
}

/// The state of a wait for a condition.
struct ConditionWatch {
    /// The value of the first update; the outer optional is nil before it.
    private var first: JSONValue??
    private let condition: Condition

    init(_ condition: Condition) {
        self.condition = condition
    }

    /// Returns what reads the value that fulfils the condition from an update, also without its secrets; nil if none does.
    ///
    /// A part that does not exist is null.
    mutating func match(in update: BindingUpdate) -> ((BindingUpdate) -> JSONValue)? {
        let (output, pointer) = (condition.output, condition.pointer)
        if let value = update.picture[output] {
            let part = value[pointer]
            if isFulfilled(by: part, after: first) { return { $0.picture[output]?[pointer] ?? .null } }
            if first == nil { first = .some(part) }
        }
        // Each event counts as a change, also one that equals the event before it.
        let index = update.change.events.firstIndex { event in
            condition.expected == nil || isFulfilled(by: event.value[pointer], after: nil)
        }
        return index.map { index in { $0.change.events[index].value[pointer] ?? .null } }
    }

    private func isFulfilled(by part: JSONValue?, after first: JSONValue??) -> Bool {
        guard let expected = condition.expected else { return first.map { $0 != part } ?? false }
        return Condition.equals(part, expected) != condition.isNegated
    }
}
