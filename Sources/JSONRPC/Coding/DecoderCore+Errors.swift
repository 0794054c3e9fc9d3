extension DecoderCore {
    /// Returns the JSON Pointer to a position.
    func path(to place: DecodingPosition) -> String {
        prefix + codingPath(to: place).map { ValueMismatch.step($0.stringValue) }.joined()
    }

    /// Returns the coding path to a position.
    ///
    /// Names of members are read from the text.
    func codingPath(to place: DecodingPosition) -> [any CodingKey] {
        var keys: [any CodingKey] = []
        var place = place
        while true {
            switch place.step {
            case .none: break
            case .index(let index): keys.append(PathKey(intValue: index))
            case .member(let member) where !isOver && member < members.count:
                keys.append(PathKey(stringValue: memberName(member)))
            case .member: break
            }
            guard place.parent >= 0, place.parent < levels.count else { return keys.reversed() }
            place = levels[place.parent].place
        }
    }

    func mismatch(_ place: DecodingPosition, expected: String, found: String) -> ValueMismatch {
        ValueMismatch(path: path(to: place), expected: expected, found: found)
    }

    /// Returns a mismatch as the `DecodingError` that Codable types expect.
    func error(_ place: DecodingPosition, _ expected: String, found: String) -> DecodingError {
        .dataCorrupted(context(place, expected, found))
    }

    func typeMismatch(_ place: DecodingPosition, _ expected: String, at value: Range<Int>) -> DecodingError {
        let text = bytes.part(value)
        let context = context(place, expected, ValueMismatch.describe(text))
        return text.first == 0x6E
            ? .valueNotFound(Any.self, context) : .typeMismatch(Any.self, context)
    }

    func missing(_ key: any CodingKey, in level: Int, expected: String) -> DecodingError {
        let place = DecodingPosition(parent: level, step: .none)
        var context = context(place, expected, ValueMismatch.nothing)
        if var mismatch = context.underlyingError as? ValueMismatch {
            mismatch.path += ValueMismatch.step(key.stringValue)
            context = .init(
                codingPath: context.codingPath,
                debugDescription: context.debugDescription,
                underlyingError: mismatch
            )
        }
        return .keyNotFound(key, context)
    }

    private func context(_ place: DecodingPosition, _ expected: String, _ found: String) -> DecodingError.Context {
        .init(
            codingPath: codingPath(to: place),
            debugDescription: "expected \(expected), found \(found)",
            underlyingError: mismatch(place, expected: expected, found: found)
        )
    }

    /// Returns the mismatch inside an error of this core.
    func mismatch(in error: any Error) -> ValueMismatch? {
        (error as? DecodingError)?.context?.underlyingError as? ValueMismatch
    }

    /// Returns an error from a type's `init(from:)` with a mismatch inside, and for an enum with its raw values.
    func explained(_ error: any Error, of type: Any.Type, in level: Int) -> any Error {
        let place = levels[level].place
        let value = levels[level].value
        if let mismatch = mismatch(in: error) {
            guard let choice = Expectation.choice(type), mismatch.path == path(to: place) else { return error }
            return typeMismatch(place, choice, at: value)
        }
        switch error {
        case let mismatch as ValueMismatch:
            return restated(mismatch, in: place)
        case let error as DecodingError:
            return explained(error, of: type, place, value)
        default:
            let found = ValueMismatch.describe(bytes.part(value))
            let mismatch = ValueMismatch(path: "", expected: Expectation.another, found: found, cause: "\(error)")
            return restated(mismatch, in: place)
        }
    }

    /// Returns the error for a mismatch that a type has thrown.
    ///
    /// Its path begins at the type's value.
    private func restated(_ mismatch: ValueMismatch, in place: DecodingPosition) -> DecodingError {
        var mismatch = mismatch
        mismatch.path = path(to: place) + mismatch.path
        return .dataCorrupted(
            .init(
                codingPath: codingPath(to: place),
                debugDescription: mismatch.expected,
                underlyingError: mismatch
            )
        )
    }
}
