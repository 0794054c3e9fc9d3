/// Saves and restores a calculator.
///
/// The saved state has the values that cannot be derived: the operations as they are shown, but oldest first, the typed
/// number, the pending operator, the result of the dropped operations, and the next id. Running results are computed
/// again, with the same values.
extension CalculatorBrain {
    private struct Saved: Codable, Equatable {
        var base: String?
        var operations: [CalculatorOperation]
        var pending: String?
        var entry: String?
        var nextID: Int
    }

    /// The largest id that every JSON reader distinguishes from its neighbours.
    private static let largestID = 1 << 53

    private var saved: Saved {
        Saved(
            base: base?.description,
            operations: rows.map(\.operation),
            pending: pending?.rawValue,
            entry: entry?.text,
            nextID: nextID
        )
    }

    /// Encodes the calculator, including a partly typed number.
    ///
    /// Linear in the number of operations.
    package func encode(to encoder: any Encoder) throws { try saved.encode(to: encoder) }

    /// Decodes a calculator, and accepts only a state that key presses can produce.
    package init(from decoder: any Decoder) throws {
        self.init()
        var state = try Saved(from: decoder)
        restore(state)
        let surplus = state.operations.count - Self.capacity
        if surplus > 0 {
            // An older version has kept all operations.
            state.operations.removeFirst(surplus)
            state.base = base?.description
        }
        // A part that no keys produce was left out or changed.
        guard saved == state else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "No keys lead to this calculator")
            )
        }
    }

    /// Restores what keys can produce of a state.
    private mutating func restore(_ state: Saved) {
        base = state.base.flatMap { DecimalNumber($0) }
        for operation in state.operations where operation.id < Self.largestID {
            let words = operation.text.split(separator: " ")
            let `operator` = words.count == 2 && !isInitial ? Operator(rawValue: String(words[0])) : nil
            guard let number = words.last.flatMap({ DecimalNumber(String($0)) }), TypedNumber.canType(number) else {
                continue
            }
            nextID = max(nextID, operation.id)
            try? append(`operator`, number)
        }
        nextID = max(nextID, min(state.nextID, Self.largestID))
        if !isInitial { pending = state.pending.flatMap { Operator(rawValue: $0) } }
        let typed = state.entry.flatMap { TypedNumber(typing: $0) }
        if !isInitial || typed?.isPlainZero == false { entry = typed }
    }
}
