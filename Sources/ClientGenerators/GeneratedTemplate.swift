/// The code of a client with gaps for what a contract decides, as it stands in `Templates`.
///
/// `{{name}}` is a text. The lines between `{{#name}}` and `{{/name}}` are repeated for each element of a list, whose names
/// precede those around it, and they stand once for a text that is not empty. `{{^name}}` is for a text or a list that is
/// empty. If a name is alone on its line, all lines of its text are indented like it, and an empty text has no line.
struct GeneratedTemplate: Sendable {
    /// The texts and the lists of a template, by their names: `String` and `[Values]`.
    typealias Values = [String: any GeneratedValue]

    private enum Part {
        case text(String)
        case value(String)
        case lines(String, indentation: String)
        case section(String, isInverted: Bool, [Part])
    }

    private let parts: [Part]

    init(_ file: String) {
        var open: [(name: String, isInverted: Bool, parts: [Part])] = [("", false, [])]
        func add(_ part: Part) { open[open.count - 1].parts.append(part) }
        for line in Self.lines(ClientRuntime.text(of: file)).dropLast() {
            if let tag = line.wholeMatch(of: /([ \t]*)\{\{([#^\/]?)(\w+)\}\}/) {
                let name = String(tag.3)
                switch tag.2 {
                case "#", "^": open.append((name, tag.2 == "^", []))
                case "/":
                    let section = open.removeLast()
                    precondition(section.name == name, "\(file) has no end of \(section.name)")
                    add(.section(name, isInverted: section.isInverted, section.parts))
                default: add(.lines(name, indentation: String(tag.1)))
                }
                continue
            }
            var rest = line[...]
            while let tag = rest.firstMatch(of: /\{\{(\w+)\}\}/) {
                add(.text(String(rest[..<tag.range.lowerBound])))
                add(.value(String(tag.1)))
                rest = rest[tag.range.upperBound...]
            }
            add(.text(rest + "\n"))
        }
        parts = open[0].parts
    }

    func text(_ values: Values) -> String {
        var text = ""
        Self.write(parts, [values], to: &text)
        return text
    }

    /// Returns code in which each block is in braces, with values.
    ///
    /// It has no empty line after another one or after the begin of a block, and `{}` for a block without lines that is
    /// no interface of TypeScript.
    func code(_ values: Values) -> String {
        var lines: [String] = []
        for line in Self.lines(text(values)) {
            let last = lines.last ?? ""
            if line.isEmpty, last.isEmpty || last.hasSuffix("{") { continue }
            if last.hasSuffix("{"), !last.contains("interface "), line.drop(while: \.isWhitespace) == "}" {
                lines[lines.count - 1] += "}"
            } else {
                lines.append(line)
            }
        }
        return lines.joined(separator: "\n")
    }

    /// Returns the lines of a text; none for an empty one.
    private static func lines(_ text: String) -> [String] {
        if text.isEmpty { return [] }
        return text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { String(Substring($0)) }
    }

    private static func write(_ parts: [Part], _ scopes: [Values], to text: inout String) {
        func value(_ name: String) -> (any GeneratedValue)? { scopes.last { $0[name] != nil }?[name] }
        func string(_ name: String) -> String { value(name) as? String ?? "" }
        for part in parts {
            switch part {
            case .text(let fixed): text += fixed
            case .value(let name): text += string(name)
            case .lines(let name, let indentation):
                for line in lines(string(name)) { text += line.isEmpty ? "\n" : "\(indentation)\(line)\n" }
            case .section(let name, let isInverted, let parts):
                let once: [Values] = [[:]]
                let elements = value(name) as? [Values] ?? (string(name).isEmpty ? [] : once)
                let shown = isInverted ? (elements.isEmpty ? once : []) : elements
                for element in shown { write(parts, scopes + [element], to: &text) }
            }
        }
    }
}

protocol GeneratedValue: Sendable {}

extension String: GeneratedValue {}

extension [GeneratedTemplate.Values]: GeneratedValue {}
