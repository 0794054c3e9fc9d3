import ArgumentParser
import ViewModelClient

/// What `viewmodelctl wait` waits for: `OUTPUT=VALUE`, `OUTPUT!=VALUE`, or a change of `OUTPUT`.
///
/// The output may be followed by a JSON Pointer to a part of its value.
struct Condition: Equatable, Sendable, CustomStringConvertible {
    /// The comparison of a value with the expected one.
    enum Comparison: Equatable, Sendable {
        case equal(String)
        case notEqual(String)
        /// The value differs from the first one.
        case change
    }

    var output: String
    var pointer: JSONPointer
    var comparison: Comparison

    /// Parses an argument; without `=` it is ``Comparison/change``.
    init(parsing argument: String) throws {
        var path = Substring(argument)
        comparison = .change
        if let (name, value) = argument.halves {
            let text = String(value)
            path = name
            if path.utf8.last == UInt8(ascii: "!") {
                path = path.dropLast()
                comparison = .notEqual(text)
            } else {
                comparison = .equal(text)
            }
        }
        let slash = path.utf8.firstIndex(of: UInt8(ascii: "/")) ?? path.endIndex
        output = String(path[..<slash])
        guard !output.isEmpty, let pointer = JSONPointer(String(path[slash...])) else {
            throw ValidationError("\"\(argument)\" is not OUTPUT=VALUE, as in undo.enabled=true or rows/0/text=milk")
        }
        self.pointer = pointer
    }

    /// The output and the pointer.
    var path: String { "\(output)\(pointer)" }

    var description: String {
        switch comparison {
        case .equal(let text): "\(path)=\(text)"
        case .notEqual(let text): "\(path)!=\(text)"
        case .change: "\(path) --change"
        }
    }

    /// The text that the value is compared with; nil for a change.
    var expected: String? {
        switch comparison {
        case .equal(let text), .notEqual(let text): text
        case .change: nil
        }
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

    /// Returns the value that fulfils the condition after an update, or nil.
    ///
    /// A part that does not exist is null.
    mutating func match(in update: BindingUpdate) -> ConditionMatch? {
        if let value = update.picture[condition.output] {
            let part = value[condition.pointer]
            if isFulfilled(by: part, after: first) { return ConditionMatch(condition: condition, event: nil) }
            if first == nil { first = .some(part) }
        }
        for (index, event) in update.change.events.enumerated() {
            let part = event.value[condition.pointer]
            // Each event counts as a change, also one that equals the event before it.
            if condition.comparison == .change || isFulfilled(by: part, after: nil) {
                return ConditionMatch(condition: condition, event: index)
            }
        }
        return nil
    }

    private func isFulfilled(by part: JSONValue?, after first: JSONValue??) -> Bool {
        switch condition.comparison {
        case .equal(let text): Condition.equals(part, text)
        case .notEqual(let text): !Condition.equals(part, text)
        case .change: first.map { $0 != part } ?? false
        }
    }
}

/// The value of an update that fulfils a condition.
struct ConditionMatch {
    let condition: Condition
    /// The number of the event with the value; nil if the output has it.
    let event: Int?

    /// Returns the value in the update, or in the same update without its secrets.
    func value(in update: BindingUpdate) -> JSONValue {
        let whole = event.map { update.change.events[$0].value } ?? update.picture[condition.output]
        return whole?[condition.pointer] ?? .null
    }
}
