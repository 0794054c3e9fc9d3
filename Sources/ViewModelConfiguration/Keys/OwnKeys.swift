package import JSONRPC

/// The keys that a daemon's author adds to the configuration, in a section of their own.
package struct OwnKeys: Sendable {
    /// The section of the keys.
    package static let section = "app"

    /// A key and its kind.
    package struct Key: Sendable {
        let key: ConfigurationKey

        /// Creates a key.
        ///
        /// - Parameters:
        ///   - name: the dotted name with the section, such as `app.server`.
        ///   - kind: the kind of its values.
        package init(_ name: String, _ kind: Kind) {
            key = ConfigurationKey(name, \.own[name], .optional(kind.valueKind), isLive: false, "")
        }

        /// The name and the expected value, for a help text.
        package var text: String { "\(key.name): \(key.expectation)" }
    }

    /// The kinds of values.
    package enum Kind: Sendable {
        case text
        /// A text that no error quotes.
        case secret
        case integer(ClosedRange<Int>)
        case number
        case boolean
        case choice([String])

        fileprivate var valueKind: ValueKind<JSONValue> {
            switch self {
            case .text: .text("a text", make: { .string($0) }, text: { "\($0)" })
            case .secret: .text("a text", isEchoed: false, make: { .string($0) }, text: { "\($0)" })
            case .integer(let range): ValueKind<Int>.integer(range).map { .integer($0) }
            case .number: ValueKind<Double>.number.map { .number("\($0)") }
            case .boolean: ValueKind<Bool>.boolean.map { .bool($0) }
            case .choice(let names):
                .text(
                    names.dropLast().joined(separator: ", ") + (names.count > 1 ? " or " : "") + (names.last ?? ""),
                    make: { names.contains($0) ? .string($0) : Optional.none },
                    text: { "\($0)" }
                )
            }
        }
    }

    /// The keys, in the order of their declaration.
    package let keys: [Key]
    /// Returns what is wrong with values of the right kinds, or nil.
    let problem: @Sendable (JSONObject) -> Problem?

    /// A value that the author's type refuses.
    package struct Problem: Error {
        /// The dotted name of the key.
        let key: String
        let message: String

        /// Creates a problem.
        package init(key: String, message: String) {
            self.key = key
            self.message = message
        }
    }

    /// Creates the keys of an author's type.
    ///
    /// - Parameters:
    ///   - keys: the keys.
    ///   - problem: returns what the type refuses in the values that the sources have, by the names of their keys.
    package init(_ keys: [Key], problem: @escaping @Sendable (JSONObject) -> Problem?) {
        self.keys = keys
        self.problem = problem
    }
}
