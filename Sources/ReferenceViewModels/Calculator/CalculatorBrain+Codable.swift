/// What is saved is what cannot be derived: the operations as they are shown, but the oldest first, what is typed and
/// pending, the result of the operations that fell away, and the next id. Running results are computed again, and come out the
/// same.
extension CalculatorBrain {
    private enum CodingKeys: String, CodingKey {
        case base, operations, pending, entry, nextID
    }

    /// The largest id that every JSON reader keeps apart from its neighbours.
    private static let largestID = 1 << 53

    /// Saves the calculator, what is half typed included.
    ///
    /// Linear in the number of operations.
    ///
    /// - Parameter encoder: Where to write to.
    public func encode(to encoder: any Encoder) throws {
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

    /// Restores a calculator, and accepts only a state that pressing keys can lead to.
    ///
    /// - Parameter decoder: Where to read from.
    /// - Throws: `DecodingError`, as `dataCorrupted` where a part does not go with the others.
    public init(from decoder: any Decoder) throws {
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
            guard let saved = Entry(typing: text), !(saved.isPlainZero && rows.isEmpty && base == nil) else {
                throw DecodingError.dataCorruptedError(
                    forKey: .entry,
                    in: container,
                    debugDescription: "The number '\(text)' cannot have been typed"
                )
            }
            entry = saved
        }
    }

    /// Appends a saved operation, or tells what is wrong with it.
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
    /// Takes the text of an operation apart; `nil` if no operation shows this text.
    fileprivate static func parse(_ text: String) -> (operator: Operator?, number: DecimalNumber)? {
        var rest = text[...]
        let shown = text.first.flatMap { Operator(rawValue: String($0)) }
        if shown != nil {
            guard text.dropFirst().first == " " else { return nil }
            rest = text.dropFirst(2)
        }
        guard let number = DecimalNumber(String(rest)), Entry.canType(number), number.description == rest else {
            return nil
        }
        return (shown, number)
    }
}
