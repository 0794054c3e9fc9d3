import ViewModelKit
import ViewModelProtocol

extension ProtocolError {
    /// Creates the error for a value in the params that does not fit.
    ///
    /// An unknown member is reported before a missing one, because a member is often missing when its name is
    /// misspelt.
    ///
    /// - Parameters:
    ///   - mismatch: The mismatch of the params.
    ///   - isAwaited: Whether there is a reply. Without one, no suggestions are computed.
    ///   - prefix: The place of the value with the schema, as a JSON Pointer into the params.
    ///   - names: Returns the names of members that the schema lists at a place in the value. The type may not have read
    ///     all of them.
    init(
        _ mismatch: ValueMismatch,
        isAwaited: Bool = true,
        in prefix: String = "",
        names: (ArraySlice<String>) -> [String]?
    ) {
        guard isAwaited, let unknown = mismatch.unknown else {
            self = .invalidParams(mismatch)
            return
        }
        let object = unknown.object.utf8
        let path = object.starts(with: prefix.utf8) ? String(object.dropFirst(prefix.utf8.count)) : nil
        let listed = path.flatMap { JSONPointer($0) }.flatMap { names($0.tokens[...]) }
        // Another type may read the same object, and know the member.
        guard listed?.containsExactly(unknown.name) != true else {
            self = .invalidParams(mismatch)
            return
        }
        let known = listed ?? unknown.known
        self = .invalidParams(
            path: unknown.path,
            expected: UnknownMember.expected(known),
            found: unknown.found,
            suggestions: Suggestions.close(to: unknown.name, among: known)
        )
        cause = mismatch.cause
    }
}

extension Schema {
    /// Returns the names of the members of the object at a place in a value; nil if the schema does not list them.
    func memberNames(at tokens: ArraySlice<String>) -> [String]? {
        let names = alternatives.compactMap { form -> [String]? in
            switch form {
            case .object(let properties):
                guard let name = tokens.first else { return properties.map(\.name) }
                return properties.first { $0.name.isExactly(name) }?.schema.memberNames(at: tokens.dropFirst())
            case .array(let schema), .dictionary(let schema):
                return tokens.isEmpty ? nil : schema.memberNames(at: tokens.dropFirst())
            default: return nil
            }
        }
        return names.isEmpty ? nil : names.flatMap(\.self)
    }
}

extension WireSchema {
    /// Returns the names of the members of the object at a place in a value; nil if the schema does not list them.
    func memberNames(at tokens: ArraySlice<String>) -> [String]? {
        let place = tokens.reduce(Optional(json)) { schema, name in
            schema?["properties"]?[name] ?? schema?["items"] ?? schema?["additionalProperties"]
        }
        return place?["properties"]?.objectValue.map { Array($0.keys) }
    }
}
