/// The names of Swift types as keys among a document's components.
package enum SchemaName {
    /// The largest length of a name.
    ///
    /// Only a generic type with many arguments has a longer one, which is cut.
    private static let longest = 100

    /// Returns the name of a type in the source, and that of its enclosing type or nil.
    ///
    /// The arguments of a generic type follow its name: `PageOfRow`.
    package static func simple(_ type: Any.Type) -> (name: String, enclosing: String?) {
        var parser = TypeNameParser(reflected(type))
        let path = parser.path()
        // The first component is the module.
        let names = (path.count > 1 ? Array(path.dropFirst()) : path).map { key($0) }
        return (String((names.last ?? "Value").prefix(longest)), names.dropLast().last)
    }

    /// The compiler's text for a type with its module, without its marks for private types and for extensions.
    private static func reflected(_ type: Any.Type) -> String {
        let text = stable(type)
        return text.contains("(") ? text.replacing(/\(extension in [^)]*\):/, with: "") : text
    }

    /// The compiler's text for a type with its module, which is the same in each run of the program.
    ///
    /// For a private type the text has the address of its context, which differs from run to run.
    static func stable(_ type: Any.Type) -> String {
        // `String(reflecting:)` makes the same text. It first asks whether the type's type conforms to three protocols, and
        // each question about another type searches the conformances of the whole program.
        let text = _typeName(type)
        guard text.contains("(") else { return text }
        return text.replacing(/\(unknown context at \$[0-9a-f]+\)\./, with: "")
    }

    private static func key(_ text: String) -> String {
        // Most names need no replacement, and a regular expression takes long at the first use of a contract.
        let isKey = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
                true
            default: false
            }
        }
        return isKey ? text : text.replacing(/[^A-Za-z0-9._\-]+/, with: "_")
    }
}

/// A parser of the compiler's text for a type, such as `Shop.Page<Shop.Row>.Header`.
private struct TypeNameParser {
    private var rest: Substring

    init(_ text: String) {
        rest = text[...]
    }

    /// Reads a type and returns its module, its enclosing types and its name.
    mutating func path() -> [String] {
        var path: [String] = []
        repeat {
            var name = identifier()
            if take("<") {
                var arguments: [String] = []
                repeat {
                    arguments.append(self.path().last ?? "")
                } while take(",")
                _ = take(">")
                name += "Of" + arguments.joined(separator: "And")
            }
            path.append(name)
        } while take(".")
        return path
    }

    private mutating func identifier() -> String {
        while rest.first == " " { rest.removeFirst() }
        if take("`") {
            let name = rest.prefix { $0 != "`" }
            rest = rest.dropFirst(name.count + 1)
            return String(name)
        }
        let name = rest.prefix { !".,<>".contains($0) }
        rest = rest.dropFirst(name.count)
        return String(name)
    }

    private mutating func take(_ character: Character) -> Bool {
        guard rest.first == character else { return false }
        rest.removeFirst()
        return true
    }
}
