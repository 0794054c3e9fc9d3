import ArgumentParser
import UnixIO
import ViewModelClient
import ViewModelContract

/// The params of a call, made from words of the command line.
struct Parameters {
    private(set) var values: [NamedValue] = []

    /// Parses the words.
    ///
    /// The one word after `--` is a text that is sent unchanged, whatever it begins with.
    init(_ words: [String]) throws(CommandFailure) {
        if words.first == "--" {
            guard words.count == 2 else {
                throw .usage("-- stands before one text", remedy: "Write -- \"$text\", in quotes, after the member")
            }
            guard !words[1].isNotUTF8 else { throw .usage("The text after -- is not UTF-8 text") }
            values = [NamedValue(name: nil, source: .string(words[1]))]
            return
        }
        var names: Set<String> = []
        for word in words {
            let value = NamedValue(word)
            guard value.name != nil || words.count == 1 else {
                throw .usage("\"\(word)\" is not name=value", remedy: "A value without a name must be the only one")
            }
            guard names.insert(value.key).inserted else { throw .usage("\(value.key) is given twice") }
            values.append(value)
        }
    }

    /// Creates the params of one text, which is sent unchanged.
    init(text: String) {
        values = [NamedValue(name: nil, source: .string(text))]
    }

    /// Gives a value without a name the name that the member has for it.
    ///
    /// An object in which no member is the only required one has none.
    mutating func setNames(for form: ParameterForm, of method: String) throws(CommandFailure) {
        guard form.isObject, !form.parameters.contains(where: { $0.name == "value" }),
            let alone = values.firstIndex(where: { $0.name == nil })
        else { return }
        guard let name = form.principal else {
            let names = form.parameters.map { "\($0.name)=…" }.joined(separator: " ")
            throw .usage("\(method) takes no value without a name", remedy: "Write \(names)")
        }
        values[alone].name = name
    }

    /// The values that are written on the command line, as texts or JSON.
    var visible: JSONObject {
        var object = JSONObject()
        for value in values {
            let name = value.key
            switch value.source {
            case .json(let text): object[name] = JSONValue(text: text)
            case .text(let text), .string(let text): object[name] = .string(text)
            case .standardInput, .file: break
            }
        }
        return object
    }

    /// Whether the contract is necessary to make the params.
    var needsContract: Bool {
        values.contains { value in
            if case .json = value.source { return false }
            return true
        }
    }

    func object(_ form: ParameterForm, reading input: InputReader) async throws -> JSONObject {
        var object = JSONObject()
        for value in values {
            let name = value.key
            switch value.source {
            case .json(let text):
                guard let json = JSONValue(text: text) else {
                    throw CommandFailure.usage(
                        "\(name):=\(text) is not JSON",
                        remedy: "Write \(name)=\(text) for a text"
                    )
                }
                object[name] = json
            case .text(let text): object[name] = form.value(of: text, named: name)
            case .string(let text): object[name] = form.value(of: text, named: name, isString: true)
            case .standardInput:
                object[name] = form.value(of: try await input.standardInput(for: name), named: name)
            case .file(let path):
                let remedy = "The @ of \(name)=@\(path) stands before the name of a file"
                let text = try await input.file(path, remedy: remedy)
                object[name] = form.value(of: text, named: name)
            }
        }
        return object
    }
}

/// Params as JSON text on the command line: an object or an array, which is sent unchanged except for line feeds.
struct JSONArgument: Equatable, Sendable {
    /// The text, without line feeds.
    var bytes: [UInt8]

    init(parsing text: String) throws {
        switch JSONValue(text: text) {
        case .object, .array:
            // In valid JSON a line feed can only be white space between two tokens.
            bytes = text.utf8.map { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") ? UInt8(ascii: " ") : $0 }
        case nil: throw ValidationError("The params are not JSON: \(text)")
        default: throw ValidationError("The params must be a JSON object or array: \(text)")
        }
    }
}
