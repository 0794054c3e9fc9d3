extension DecoderCore {
    /// Returns an error of a hand-written `init(from:)` with a mismatch inside, derived from the error's case and path.
    func explained(
        _ error: DecodingError,
        of type: Any.Type,
        _ place: DecodingPosition,
        _ value: Range<Int>
    ) -> DecodingError {
        let own = codingPath(to: place)
        guard let context = error.context else { return error }
        // The error's path counts only if it points into the value.
        let isInside =
            context.codingPath.count >= own.count
            && zip(own, context.codingPath).allSatisfy { $0.stringValue == $1.stringValue }
        var keys = isInside ? Array(context.codingPath.dropFirst(own.count)) : []
        let expected: String
        var cause: String?
        switch error {
        case .keyNotFound(let key, _):
            keys.append(key)
            expected = "a value"
        case .typeMismatch(let type, _), .valueNotFound(let type, _):
            expected = Expectation.any(type)
        default:
            let choice = keys.isEmpty ? Expectation.choice(type) : nil
            expected = choice ?? Expectation.another
            // Swift's text about an enum contains the value, which must not reach a log.
            cause = choice == nil ? context.debugDescription : nil
        }
        let found = locate(keys, in: value).map { ValueMismatch.describe(bytes.part($0)) }
        let path = path(to: place) + keys.map { ValueMismatch.step($0.stringValue) }.joined()
        let mismatch = ValueMismatch(
            path: path,
            expected: expected,
            found: found ?? ValueMismatch.nothing,
            cause: cause
        )
        return .dataCorrupted(
            .init(
                codingPath: own + keys,
                debugDescription: context.debugDescription,
                underlyingError: mismatch
            )
        )
    }

    /// Returns the position of the value at a path inside another value.
    private func locate(_ keys: [any CodingKey], in value: Range<Int>) -> Range<Int>? {
        var value = value
        for key in keys {
            guard let inner = child(key, of: value) else { return nil }
            value = inner
        }
        return value
    }

    private func child(_ key: any CodingKey, of value: Range<Int>) -> Range<Int>? {
        let text = bytes.part(value)
        var child: Range<Int>?
        switch JSONText.kind(of: text) {
        case .object:
            JSONText.forEachMember(of: text) { name, range in
                if name == key.stringValue { child = range }
            }
        case .array:
            var index = 0
            JSONText.forEachElement(of: text) { range in
                if index == key.intValue { child = range }
                index += 1
            }
        case .string, .number, .boolean, .null:
            break
        }
        return child.map { ($0.lowerBound + value.lowerBound)..<($0.upperBound + value.lowerBound) }
    }
}

extension DecodingError {
    /// The context that every case carries.
    var context: Context? {
        switch self {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
            .dataCorrupted(let context):
            context
        @unknown default:
            nil
        }
    }
}
