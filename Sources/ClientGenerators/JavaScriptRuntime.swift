import ViewModelContract

enum JavaScriptRuntime {
    static func text(of flavour: JavaScriptClient.Flavour) -> String { ClientRuntime.text(of: flavour.rawValue) }

    /// The names that the runtime declares.
    static let names = Set(
        text(of: .typescript).split(separator: "\n").compactMap { line in
            line.prefixMatch(of: /(?:export )?(?:async )?(?:class|interface|type|const|function) (\w+)/)
                .map { String($0.1) }
        }
    )

    static let viewModelMembers = members(of: "ViewModel").union(objectMembers)

    static let connectionMembers = members(of: "Emitter").union(members(of: "Connection")).union(objectMembers)

    /// The names with a meaning of their own: `then` would make an instance a promise.
    private static let objectMembers: Set<String> = [
        "constructor", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "then", "toJSON", "toLocaleString",
        "toString", "valueOf",
    ]

    private static func members(of type: String) -> Set<String> {
        let lines = text(of: .typescript).split(separator: "\n")
        let body = lines.drop { !$0.hasPrefix("export class \(type)<") && !$0.hasPrefix("export class \(type) ") }
            .dropFirst().prefix { $0 != "}" }
        return Set(
            body.compactMap { line in
                line.prefixMatch(of: /\t(?:readonly |protected |async |get )*([A-Za-z]\w*)[(<:?]/).map { String($0.1) }
            }
        )
    }
}
