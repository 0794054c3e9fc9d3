extension DecoderCore {
    func path(to position: DecodingPosition) -> String {
        prefix + codingPath(to: position).map { ValueMismatch.step($0.stringValue) }.joined()
    }

    /// Returns the coding path to a position.
    ///
    /// Names of members are read from the text.
    func codingPath(to position: DecodingPosition) -> [any CodingKey] {
        var keys: [any CodingKey] = []
        var position = position
        while true {
            switch position.step {
            case .none: break
            case .index(let index): keys.append(AnyKey(intValue: index))
            case .member(let member) where !isOver && member < members.count:
                keys.append(AnyKey(stringValue: memberName(member)))
            case .member: break
            }
            guard position.parent >= 0, position.parent < levels.count else { return keys.reversed() }
            position = levels[position.parent].position
        }
    }

    /// Returns the error for a value that does not fit its type.
    func typeMismatch(_ position: DecodingPosition, _ expected: String, at value: Range<Int>) -> DecodingError {
        let text = bytes.part(value)
        let found = ValueMismatch.describe(text)
        let mismatch = ValueMismatch(path: path(to: position), expected: expected, found: found)
        let context = context(mismatch, codingPath(to: position))
        return text.first == 0x6E
            ? .valueNotFound(Any.self, context) : .typeMismatch(Any.self, context)
    }

    /// Returns the error for a member that its type has not decoded.
    func undecoded(_ member: Int, in level: Int) -> DecodingError {
        let position = DecodingPosition(parent: level, step: .member(member))
        let mismatch = ValueMismatch(unknown: unknownMember(member, in: level))
        return .dataCorrupted(context(mismatch, codingPath(to: position)))
    }

    /// Describes a member that its type has not decoded.
    private func unknownMember(_ member: Int, in level: Int) -> UnknownMember {
        let decoded = (levels[level].members ?? 0..<0).filter { members[$0].isDecoded }.map(memberName)
        return UnknownMember(
            name: memberName(member),
            object: path(to: levels[level].position),
            found: ValueMismatch.describe(bytes.part(members[member].value)),
            known: levels[level].missing.reduce(into: decoded) { if !$0.contains($1) { $0.append($1) } }
        )
    }

    /// Returns the error for a missing member, with the first unknown member of the object in its mismatch.
    ///
    /// A name that the type of keys cannot represent is unknown.
    func missing(
        _ key: any CodingKey,
        in level: Int,
        expected: String,
        isKey: ((String) -> Bool)? = nil
    ) -> DecodingError {
        let position = DecodingPosition(parent: level, step: .none)
        let path = path(to: position) + ValueMismatch.step(key.stringValue)
        var mismatch = ValueMismatch(path: path, expected: expected, found: ValueMismatch.nothing)
        if let isKey, let members = levels[level].members {
            let unknown = members.first { !self.members[$0].isDecoded && !isKey(memberName($0)) }
            mismatch.unknown = unknown.map { unknownMember($0, in: level) }
        }
        return .keyNotFound(key, context(mismatch, codingPath(to: position)))
    }

    /// Returns a mismatch in the form that Codable types expect.
    private func context(_ mismatch: ValueMismatch, _ codingPath: [any CodingKey]) -> DecodingError.Context {
        .init(
            codingPath: codingPath,
            debugDescription: "expected \(mismatch.expected), found \(mismatch.found)",
            underlyingError: mismatch
        )
    }

    func mismatch(in error: any Error) -> ValueMismatch? {
        (error as? DecodingError)?.context?.underlyingError as? ValueMismatch
    }

    /// Returns an error from a type's `init(from:)` with a mismatch inside, and for an enum with its raw values.
    func explained(_ error: any Error, of type: Any.Type, in level: Int) -> any Error {
        let position = levels[level].position
        let value = levels[level].value
        if let mismatch = mismatch(in: error) {
            guard let form = Expectation.form(type), mismatch.path == path(to: position) else { return error }
            return typeMismatch(position, form, at: value)
        }
        switch error {
        case let mismatch as ValueMismatch:
            return relocated(mismatch, in: position)
        case let error as DecodingError:
            return explained(error, of: type, position, value)
        default:
            let found = ValueMismatch.describe(bytes.part(value))
            let mismatch = ValueMismatch(path: "", expected: Expectation.another, found: found, cause: "\(error)")
            return relocated(mismatch, in: position)
        }
    }

    /// Returns the error for a mismatch that a type has thrown.
    ///
    /// Its path begins at the type's value.
    private func relocated(_ mismatch: ValueMismatch, in position: DecodingPosition) -> DecodingError {
        var mismatch = mismatch
        mismatch.path = path(to: position) + mismatch.path
        return .dataCorrupted(context(mismatch, codingPath(to: position)))
    }
}

extension DecoderCore {
    /// Returns an error of a hand-written `init(from:)` with a mismatch inside, derived from the error's case and path.
    func explained(
        _ error: DecodingError,
        of type: Any.Type,
        _ position: DecodingPosition,
        _ value: Range<Int>
    ) -> DecodingError {
        let own = codingPath(to: position)
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
            let form = keys.isEmpty ? Expectation.form(type) : nil
            expected = form ?? Expectation.another
            // Swift's text about an enum contains the value, which must not reach a log.
            cause = form == nil ? context.debugDescription : nil
        }
        let whole = try? JSONValue(parsing: bytes.part(value))
        let found = keys.reduce(whole) { value, key in value?[key.stringValue] ?? key.intValue.flatMap { value?[$0] } }
        let path = path(to: position) + keys.map { ValueMismatch.step($0.stringValue) }.joined()
        let mismatch = ValueMismatch(
            path: path,
            expected: expected,
            found: found.map(ValueMismatch.describe) ?? ValueMismatch.nothing,
            cause: cause
        )
        return .dataCorrupted(self.context(mismatch, own + keys))
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
