import ViewModelClient

/// The params of a call, from the words that give its values.
struct Parameters {
    private(set) var values: [NamedValue] = []

    /// Takes the words.
    ///
    /// - Throws: ``CommandFailure`` where two give the same parameter, or a value alone stands beside another.
    init(_ words: [String]) throws(CommandFailure) {
        var names: Set<String> = []
        for word in words {
            var value = NamedValue(word)
            if value.name == nil {
                guard words.count == 1 else {
                    throw .usage("\"\(word)\" is no name=value", remedy: "A value alone must be the only one")
                }
                value.name = "value"
            }
            if let name = value.name, !names.insert(name).inserted {
                throw .usage("\(name) is given twice")
            }
            values.append(value)
        }
    }

    /// Whether the contract must be known to make the params.
    var needsContract: Bool {
        values.contains { value in
            if case .json = value.source { return false }
            return true
        }
    }

    /// Makes the params.
    ///
    /// - Parameters:
    ///   - shape: What the member takes.
    ///   - input: Where `@-` is read from.
    func object(_ shape: ParameterShape, reading input: InputReader) async throws -> [String: JSONValue] {
        var object: [String: JSONValue] = [:]
        for value in values {
            guard let name = value.name else { continue }
            switch value.source {
            case .json(let text):
                guard let json = JSONValue(text: text) else {
                    throw CommandFailure.usage(
                        "\(name):=\(text) is no JSON",
                        remedy: "Write \(name)=\(text) for a text"
                    )
                }
                object[name] = json
            case .text(let text): object[name] = shape.value(of: text, named: name)
            case .standardInput: object[name] = shape.value(of: try await input.standardInput(for: name), named: name)
            case .file(let path):
                let text = try input.file(path, remedy: "The @ of \(name)=@\(path) stands before the name of a file")
                object[name] = shape.value(of: text, named: name)
            }
        }
        return object
    }
}
