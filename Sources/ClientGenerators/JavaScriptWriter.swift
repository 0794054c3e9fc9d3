import ViewModelContract

/// A parameter of a method.
struct JavaScriptParameter {
    let name: String
    let type: String
    /// The default value, or nil.
    let fallback: String?
    let isOptional: Bool

    init(_ name: String, _ type: String, fallback: String? = nil, isOptional: Bool = false) {
        self.name = name
        self.type = type
        self.fallback = fallback
        self.isOptional = isOptional
    }
}

/// A member of an interface.
struct JavaScriptMember {
    let name: String
    let type: String
    let description: String
    var isRequired = true
}

/// The declaration of a type: an interface or an alias.
enum JavaScriptDeclaration {
    case members([JavaScriptMember])
    case alias(String)
}

/// The text of a module that grows.
///
/// The same calls write TypeScript, JavaScript, and declarations.
struct JavaScriptWriter {
    /// The file that is written.
    enum Flavour { case typescript, javascript, declarations }

    let flavour: Flavour
    private(set) var text = ""
    /// Whether the next member of a class is its first.
    private var isFirst = true
    private var indentation = ""

    init(_ flavour: Flavour) {
        self.flavour = flavour
    }

    mutating func raw(_ more: String) { text += more }

    mutating func line(_ content: String = "") { text += content.isEmpty ? "\n" : "\(indentation)\(content)\n" }

    mutating func doc(_ description: String) {
        if let comment = JavaScriptText.doc(description, indentation: indentation) { text += "\(comment)\n" }
    }

    /// Returns type arguments, which JavaScript has not.
    func generic(_ arguments: String) -> String { flavour == .javascript ? "" : arguments }

    private var export: String { flavour == .declarations ? "export declare" : "export" }

    /// Writes an interface or a type, which JavaScript has not.
    mutating func declaration(of name: String, _ declaration: JavaScriptDeclaration, description: String) {
        guard flavour != .javascript else { return }
        line()
        doc(description)
        switch declaration {
        case .alias(let type): line("export type \(name) = \(type);")
        case .members(let members):
            line("export interface \(name) {")
            indentation = "\t"
            for member in members {
                doc(member.description)
                let mark = member.isRequired ? "" : "?"
                let type = member.isRequired ? member.type : "\(member.type) | undefined"
                line("readonly \(JavaScriptText.key(member.name))\(mark): \(type);")
            }
            indentation = ""
            line("}")
        }
    }

    mutating func constant(_ name: String, type: String, _ value: String, isExported: Bool, isSeparate: Bool = true) {
        if flavour == .declarations, !isExported { return }
        if isSeparate { line() }
        let head = isExported ? "\(export) const" : "const"
        switch flavour {
        case .typescript: line("\(head) \(name): \(type) = \(value);")
        case .javascript: line("\(head) \(name) = \(value);")
        case .declarations: line("\(head) \(name): \(type);")
        }
    }

    /// Begins a class.
    mutating func open(_ head: String) {
        line("\(export) \(head) {")
        indentation = "\t"
        isFirst = true
    }

    /// Ends a class.
    mutating func close() {
        indentation = ""
        if isFirst { text.removeLast() }
        line("}")
    }

    private mutating func separate() {
        if !isFirst { line() }
        isFirst = false
    }

    /// Writes a field that callers do not need.
    mutating func internalField(_ typescript: String, _ javascript: String) {
        guard flavour != .declarations else { return }
        separate()
        if flavour == .typescript { line("/** @internal */") }
        line(flavour == .typescript ? typescript : javascript)
    }

    /// Writes a method or, with `get` in the head, a getter.
    mutating func member(
        _ head: String,
        _ parameters: [JavaScriptParameter] = [],
        returns type: String,
        body: String,
        description: String
    ) {
        separate()
        doc(description)
        let head = flavour == .declarations ? head.replacing("async ", with: "") : head
        write(head, parameters, returns: type, body: body)
    }

    mutating func function(
        _ name: String,
        _ parameters: [JavaScriptParameter],
        returns type: String,
        body: String
    ) {
        write("\(export) function \(name)", parameters, returns: type, body: body)
    }

    private mutating func write(_ head: String, _ parameters: [JavaScriptParameter], returns type: String, body: String)
    {
        let list = parameters.map { parameter in
            switch flavour {
            case .javascript: parameter.name + (parameter.fallback.map { " = \($0)" } ?? "")
            case .declarations:
                "\(parameter.name)\(parameter.isOptional || parameter.fallback != nil ? "?" : ""): \(parameter.type)"
            case .typescript:
                "\(parameter.name)\(parameter.isOptional ? "?" : ""): \(parameter.type)"
                    + (parameter.fallback.map { " = \($0)" } ?? "")
            }
        }
        let signature = "\(head)(\(list.joined(separator: ", ")))"
        switch flavour {
        case .declarations: line("\(signature): \(type);")
        case .typescript, .javascript:
            line(flavour == .typescript ? "\(signature): \(type) {" : "\(signature) {")
            line("\t\(body)")
            line("}")
        }
    }
}
