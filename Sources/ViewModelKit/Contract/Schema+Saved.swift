import JSONRPC

extension Schema {
    /// How a member is read from values that were saved before it had its name, or before it was there.
    public struct Earlier: Sendable, Equatable {
        /// The names that the member had.
        let names: [String]
        /// Returns the value of a member that is not in the saved value, or nil.
        let absent: (@Sendable () -> any Encodable)?

        /// Creates the rule of a member.
        ///
        /// `@Schemable` writes the call.
        ///
        /// - Parameters:
        ///   - names: the names that the member had.
        ///   - absent: the value of a member that is not in the saved value; nil if the value then does not decode.
        public init(_ names: [String] = [], absent: (@Sendable () -> any Encodable)? = nil) {
            self.names = names
            self.absent = absent
        }

        /// Returns whether two rules have the same names.
        ///
        /// No client sees either of them.
        public static func == (left: Earlier, right: Earlier) -> Bool { left.names == right.names }
    }

    /// Returns a saved value in the form that this schema has now.
    ///
    /// Members get their present names, and missing ones the values that the schema says. `unknown` gets the names of
    /// members that the schema does not have. They are left out.
    func current(_ saved: JSONValue, unknown: inout Set<String>) -> JSONValue {
        let forms = alternatives
        switch saved {
        case .array(let elements):
            guard case .array(let element)? = forms.first(where: { $0.isArray }) else { return saved }
            return .array(elements.map { element.current($0, unknown: &unknown) })
        case .object(let members):
            let objects = forms.compactMap { if case .object(let properties) = $0 { properties } else { nil } }
            // A case of an enum is the object with the name of the case.
            if let properties = objects.count == 1 ? objects[0] : objects.first(where: { $0.contains(members) }) {
                return .object(Self.current(members, properties, unknown: &unknown))
            }
            for case .dictionary(let value) in forms {
                return .object(members.mapValues { value.current($0, unknown: &unknown) })
            }
            return saved
        default: return saved
        }
    }

    private static func current(
        _ members: JSONObject,
        _ properties: [Property],
        unknown: inout Set<String>
    ) -> JSONObject {
        var (rest, result) = (members, JSONObject())
        for property in properties {
            let names = [property.name] + (property.earlier?.names ?? [])
            if let name = names.first(where: { rest[$0] != nil }), let value = rest.removeValue(forKey: name) {
                result[property.name] = property.schema.current(value, unknown: &unknown)
            } else if let value = property.earlier?.absent?() {
                var writer = JSONWriter()
                guard (try? writer.encode(value)) != nil else { continue }
                result[property.name] = JSONValue(text: writer.bytes)
            }
        }
        unknown.formUnion(rest.map { $0.key })
        return result
    }

    private var isArray: Bool { if case .array = self { true } else { false } }

    /// Whether a part of a value is an object whose names are data.
    var hasDictionary: Bool { contains { if case .dictionary = $0 { true } else { false } } }
}

extension [Schema.Property] {
    /// Returns whether one of the members has the name of a property, or a former one.
    fileprivate func contains(_ members: JSONObject) -> Bool {
        contains { property in
            members[property.name] != nil || property.earlier?.names.contains { members[$0] != nil } == true
        }
    }
}

/// Declares the names that a member of a struct with `@Schemable` had, so that values that were saved with them are read.
///
///     @Schemable
///     struct Tag: Identifiable {
///         let id: Int
///         @Formerly("title") var name: String
///     }
///
/// Clients know the present name only.
///
/// - Parameter names: the former names on the wire.
@attached(peer)
public macro Formerly(_ names: String...) = #externalMacro(module: "ViewModelMacros", type: "MarkerMacro")
