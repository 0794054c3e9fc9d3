/// Saves and restores a calculator.
///
/// The saved state has the values that cannot be derived: the operations as they are shown, but oldest first, the typed
/// number, the pending operator, the result of the dropped operations, and the next id. Running results are computed
/// again, with the same values.
extension CalculatorBrain {
    private enum CodingKeys: String, CodingKey {
        case base, operations, pending, entry, nextID
    }

    /// The largest id that every JSON reader distinguishes from its neighbours.
    private static let largestID = 1 << 53

    /// Encodes the calculator, including a partly typed number.
    ///
    /// Linear in the number of operations.
    ///
    /// - Parameter encoder: The encoder.
    /// - Throws: The encoder's error.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(base?.description, forKey: .base)
        var operations = container.nestedUnkeyedContainer(forKey: .operations)
        for row in rows {
            try operations.encode(row.operation)
        }
        try container.encodeIfPresent(pending?.rawValue, forKey: .pending)
        try container.encodeIfPresent(entry?.text, forKey: .entry)
        try container.encode(nextID, forKey: .nextID)
    }

    /// Decodes a calculator, and accepts only a state that key presses can produce.
    ///
    /// - Parameter decoder: The decoder.
    /// - Throws: `DecodingError`; it is `dataCorrupted` if a part contradicts the others.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init()

        if let text = try container.decodeIfPresent(String.self, forKey: .base) {
            guard let saved = DecimalNumber(text), saved.description == text else {
                throw DecodingError.dataCorruptedError(
                    forKey: .base,
                    in: container,
                    debugDescription: "No result reads '\(text)'"
                )
            }
            base = saved
        }
        let savedNextID = try container.decode(Int.self, forKey: .nextID)
        var operations = try container.nestedUnkeyedContainer(forKey: .operations)
        while !operations.isAtEnd {
            let operation = try operations.decode(CalculatorOperation.self)
            if let flaw = restore(operation, below: savedNextID) {
                throw DecodingError.dataCorruptedError(in: operations, debugDescription: flaw)
            }
        }
        guard (nextID...Self.largestID).contains(savedNextID) else {
            throw DecodingError.dataCorruptedError(
                forKey: .nextID,
                in: container,
                debugDescription: "The next id \(savedNextID) is out of range"
            )
        }
        nextID = savedNextID

        if let text = try container.decodeIfPresent(String.self, forKey: .pending) {
            guard let saved = Operator(rawValue: text), !rows.isEmpty || base != nil else {
                throw DecodingError.dataCorruptedError(
                    forKey: .pending,
                    in: container,
                    debugDescription: "The operator '\(text)' cannot be pending"
                )
            }
            pending = saved
        }
        if let text = try container.decodeIfPresent(String.self, forKey: .entry) {
            guard let saved = TypedNumber(typing: text), !(saved.isPlainZero && rows.isEmpty && base == nil) else {
                throw DecodingError.dataCorruptedError(
                    forKey: .entry,
                    in: container,
                    debugDescription: "The number '\(text)' cannot have been typed"
                )
            }
            entry = saved
        }
    }

    /// Appends a saved operation, or returns the reason why it is invalid.
    private mutating func restore(_ operation: CalculatorOperation, below limit: Int) -> String? {
        guard (nextID..<max(nextID, limit)).contains(operation.id) else {
            return "The id \(operation.id) is out of order"
        }
        guard let (saved, number) = Row.parse(operation.text), saved == nil || !rows.isEmpty || base != nil else {
            return "No operation reads '\(operation.text)' here"
        }
        nextID = operation.id
        do {
            try append(saved, number)
            return nil
        } catch {
            return "The operation '\(operation.text)' has no result: \(error.code)"
        }
    }
}

extension CalculatorBrain.Row {
    /// Parses the text of an operation, and returns `nil` if no operation shows this text.
    fileprivate static func parse(_ text: String) -> (operator: Operator?, number: DecimalNumber)? {
        var rest = text[...]
        let shown = text.first.flatMap { Operator(rawValue: String($0)) }
        if shown != nil {
            guard text.dropFirst().first == " " else { return nil }
            rest = text.dropFirst(2)
        }
        guard let number = DecimalNumber(String(rest)), TypedNumber.canType(number), number.description == rest else {
            return nil
        }
        return (shown, number)
    }
}
