import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

/// The computed outputs of a ViewModel, and the properties and methods with which they are computed.
///
/// A macro cannot replace the getter of a property, so it replaces the reads of the property: the code of an output that
/// reads other outputs is copied into the closure of its `Derived`, after local variables of the same names that read the
/// signals of those outputs. Swift's own rules for names then say which reads the variables serve.
struct ComputedOutputs {
    /// A computed property or a method.
    fileprivate struct Code {
        let declaration: DeclSyntax
        let identifier: TokenSyntax
        /// The attribute of a member of the contract.
        let attribute: MemberAttribute?
        let reads: CodeReads
        /// What a value is computed from, without the setter of a property.
        let valueReads: CodeReads
    }

    /// An output whose signal others read.
    struct Shared {
        let identifier: TokenSyntax
        /// The source text of the type of the value.
        let type: String
        /// The source text of the signal.
        let signal: String
    }

    /// The computed properties by their names, and the methods by their names with parentheses.
    ///
    /// The methods of one name are several.
    private var code: [String: [Code]] = [:]
    /// The name of the class.
    private var owner = ""
    /// The names of all properties.
    private var properties: Set<String> = []
    private var outputs: [String] = []
    /// The properties of the conditions of members, such as `\Weather.canLook`, and those after whose changes actions run.
    private var conditions: [String] = []
    private var sharedNames: Set<String> = []
    /// The stored properties whose changes nothing follows.
    private var variables: [String: VariableDeclSyntax] = [:]
    private var clocks: Set<String> = []

    /// Creates the outputs of a class that has none.
    init() {}

    init(_ declaration: ClassDeclSyntax) {
        owner = declaration.name.text
        clocks = declaration.properties(of: ["SessionClock", "ContinuousClock", "SuspendingClock"])
        for item in declaration.memberBlock.members {
            read(item.decl)
        }
        sharedNames = Set((outputs + conditions).flatMap { reads(of: $0) } + conditions).intersection(outputs)
    }

    private mutating func read(_ declaration: DeclSyntax) {
        let attribute = declaration.memberAttribute
        func add(_ identifier: TokenSyntax, _ body: some SyntaxProtocol, suffix: String = "") {
            let value = body.as(AccessorBlockSyntax.self)?.getter.map(Syntax.init) ?? Syntax(body)
            let new = Code(
                declaration: declaration,
                identifier: identifier,
                attribute: attribute,
                reads: CodeReads(body),
                valueReads: CodeReads(value, clocks: clocks)
            )
            code[identifier.text.withoutBackticks + suffix, default: []].append(new)
        }
        conditions += (attribute?.paths ?? []).compactMap(\.lastProperty)
        if let function = declaration.as(FunctionDeclSyntax.self), function.modifiers.staticModifier == nil {
            add(function.name, function, suffix: "()")
        }
        guard let variable = declaration.as(VariableDeclSyntax.self), variable.modifiers.staticModifier == nil,
            variable.bindings.count == 1, let binding = variable.bindings.first, let identifier = binding.identifier
        else { return }
        let name = identifier.text.withoutBackticks
        properties.insert(name)
        if binding.isComputed, let body = binding.accessorBlock {
            add(identifier, body)
            let isOutput = attribute.map { [.output, .rows].contains($0.kind) } ?? false
            if isOutput, let type = binding.typeAnnotation?.type, type.rowType == nil { outputs.append(name) }
        } else if variable.bindingSpecifier.tokenKind == .keyword(.var), variable.attributes.isEmpty,
            variable.modifiers.storage == nil
        {
            variables[name] = variable
        }
    }

    /// Returns the name of the property or the methods that a read is one of.
    ///
    /// A called name is a property only if that is a function. Otherwise it may be a method of an extension.
    private func member(_ read: String) -> String {
        let property = read.withoutParentheses
        guard property != read else {
            return !properties.contains(read) && code["\(read)()"] != nil ? "\(read)()" : read
        }
        let isFunction = code[read] == nil && code[property]?.first?.type?.contains("->") == true
        return isFunction ? property : read
    }

    /// Returns the properties and methods that code reads; if `certain`, those of a getter, whose names it does not declare.
    private func members(readBy code: Code, certain: Bool = false) -> Set<String> {
        guard certain else { return Set(code.reads.names.map(member)) }
        let (names, locals) = (code.valueReads.names, code.valueReads.locals)
        return Set(names.filter { !locals.contains($0.withoutParentheses) }.map(member))
    }

    /// Returns the names that the code of a name reads, also by properties and methods that are no members.
    ///
    /// Which one of several methods is called is not certain.
    private func reads(of name: String, certain: Bool = false) -> Set<String> {
        var found: Set<String> = []
        var pending = [name]
        while let codes = pending.popLast().flatMap({ code[$0] }) {
            for read in codes.flatMap({ members(readBy: $0, certain: certain) }) where found.insert(read).inserted {
                let next = code[read] ?? []
                let isFollowed = next.allSatisfy { $0.attribute == nil } && !(certain && next.count > 1)
                if isFollowed, !next.isEmpty { pending.append(read) }
            }
        }
        return found
    }
}

// MARK: - Source texts

extension ComputedOutputs {
    /// The outputs that others read, in the order of the source.
    var shared: [Shared] {
        outputs.filter(sharedNames.contains).compactMap { name in
            guard let code = code[name]?.first, let attribute = code.attribute, let type = code.type else { return nil }
            let maker =
                attribute.kind == .rows
                ? "memberWiring.rows"
                : attribute.isSampled
                    ? "memberWiring.sampled\(attribute.sampling(self))" : "ViewModelKit.Derived<\(type)>"
            let signal = named(name, "\(maker) \(computation(of: name))")
            return Shared(identifier: code.identifier, type: type, signal: signal)
        }
    }

    /// Returns the source text of an output that is computed, or of its signal, with its name for the log of a trap.
    func named(_ name: String, _ value: String) -> String {
        "memberWiring(\("\(owner).\(name)".asLiteral)) { \(value) }"
    }

    /// Returns the source text of the signal of an output that others read.
    func signal(of name: String) -> String? { sharedNames.contains(name) ? "self.computedOutputs.\(name)" : nil }

    /// Returns the source text of the signal of a condition, or of a property after whose changes an action runs.
    func condition(_ path: ExprSyntax) -> String {
        let derived = "ViewModelKit.Derived"
        guard let name = path.lastProperty, path.rootType != nil else { return "\(derived)(of: self, \(path.trimmed))" }
        if let signal = signal(of: name) { return signal }
        guard let type = code[name]?.first?.type, !reads(of: name).isDisjoint(with: sharedNames) else {
            return "\(derived)(of: self, \(path.trimmed))"
        }
        return "\(derived)<\(type)> \(computation(of: name))"
    }

    /// Returns the source text of the closure that computes the value of a property.
    func computation(of name: String) -> String {
        let direct = "{ [unowned self] in self.\(code[name]?.first?.identifier.text ?? name) }"
        var copies = Copies(of: self)
        guard let code = code[name]?.first, let type = code.type, let body = code.getter,
            copies.add(namesIn: code), !copies.isEmpty, !copies.hideOthers
        else { return direct }
        return """
            { [unowned self] () -> \(type) in
            \(copies.texts.joined(separator: "\n"))
            return { () -> \(type) in
            \(copies.text(of: body, in: code))
            }()
            }
            """
    }

    /// The local variables and functions that stand for outputs and for the code that reads them.
    private struct Copies {
        private let all: ComputedOutputs
        private(set) var texts: [String] = []
        private var names: Set<String> = []
        /// The names that the copied code reads.
        private var reads: Set<String> = []
        /// The code that is being copied.
        private var open: Set<String> = []

        init(of all: ComputedOutputs) { self.all = all }

        var isEmpty: Bool { texts.isEmpty }

        /// Whether the code needs a property and a method of one name, of which a copy of one hides the other.
        var hideOthers: Bool {
            names.contains { name in
                let property = name.withoutParentheses
                return reads.contains(property == name ? "\(name)()" : property)
            }
        }

        /// Adds what the code needs; false if Swift cannot declare it in any order.
        mutating func add(namesIn code: Code) -> Bool {
            let read = all.members(readBy: code)
            reads.formUnion(read)
            for name in read.sorted() where !names.contains(name) {
                if let signal = all.signal(of: name), let type = all.code[name]?.first?.type {
                    texts.append("var \(name.asIdentifier): \(type) { \(signal).value }")
                    names.insert(name)
                } else if !add(name) {
                    return false
                }
            }
            return true
        }

        private mutating func add(_ name: String) -> Bool {
            guard let codes = all.code[name], codes.allSatisfy({ $0.attribute == nil }),
                !all.reads(of: name).isDisjoint(with: all.sharedNames)
            else { return true }
            guard open.insert(name).inserted else { return false }
            defer { open.remove(name) }
            guard codes.allSatisfy({ add(namesIn: $0) }) else { return false }
            names.insert(name)
            texts += codes.map { text(of: $0.localDeclaration, in: $0) }
            return true
        }

        /// Returns the text of copied code, in which `self.name` stands for what the name does.
        func text(of node: some SyntaxProtocol, in code: Code) -> String {
            let rewriter = SelfReplacer { read in
                let (member, name) = (all.member(read), read.withoutParentheses)
                if let signal = all.signal(of: member) { return "\(signal).value" }
                return names.contains(member) && !code.reads.locals.contains(name) ? name.asIdentifier : nil
            }
            return rewriter.rewrite(node).trimmedDescription
        }
    }
}

extension String {
    /// The name of a method or a property.
    fileprivate var withoutParentheses: String { hasSuffix("()") ? String(dropLast(2)) : self }
}

extension AccessorBlockSyntax {
    /// The statements of the getter.
    fileprivate var getter: CodeBlockItemListSyntax? {
        switch accessors {
        case .getter(let items): items
        case .accessors(let accessors): accessors.first { $0.accessorSpecifier.text == "get" }?.body?.statements
        default: nil
        }
    }
}

extension ComputedOutputs.Code {
    /// The source text of the type of a property.
    fileprivate var type: String? { binding?.typeAnnotation?.type.trimmedDescription }

    fileprivate var isPrivate: Bool {
        declaration.as(VariableDeclSyntax.self)?.modifiers.privateModifier != nil
    }

    private var binding: PatternBindingSyntax? { declaration.as(VariableDeclSyntax.self)?.bindings.first }

    /// The statements that compute the value of a property.
    fileprivate var getter: CodeBlockItemListSyntax? { binding?.accessorBlock?.getter }

    /// The declaration as one inside of a closure.
    fileprivate var localDeclaration: DeclSyntax {
        if let function = declaration.as(FunctionDeclSyntax.self) {
            return DeclSyntax(function.with(\.modifiers, []).with(\.attributes, []))
        }
        guard let variable = declaration.as(VariableDeclSyntax.self) else { return declaration }
        return DeclSyntax(variable.with(\.modifiers, []).with(\.attributes, []))
    }
}

/// Replaces expressions of the form `self.name`.
private final class SelfReplacer: SyntaxRewriter {
    private let replacement: (String) -> String?

    init(_ replacement: @escaping (String) -> String?) { self.replacement = replacement }

    override func visit(_ node: MemberAccessExprSyntax) -> ExprSyntax {
        guard node.isOfSelf, let text = replacement(node.declName.readName) else { return super.visit(node) }
        let new: ExprSyntax = "\(raw: text)"
        return new.with(\.leadingTrivia, node.leadingTrivia).with(\.trailingTrivia, node.trailingTrivia)
    }
}

// MARK: - Mistakes

extension ComputedOutputs {
    var diagnostics: [Diagnostic] { cycles + untracked + timed }

    /// The outputs that read themselves, each cycle once.
    private var cycles: [Diagnostic] {
        var reported: Set<String> = []
        return outputs.compactMap { name in
            guard let code = code[name]?.first, !reported.contains(name), let cycle = cycle(from: name) else {
                return nil
            }
            reported.formUnion(cycle)
            let others = cycle.dropFirst().map { "`\($0)`" }.joined(separator: ", ")
            let (way, subject) = others.isEmpty ? ("", "it") : (" through \(others)", "one of them")
            return Diagnostic(code.identifier, .cycle, name, way, subject)
        }
    }

    /// Returns the shortest way from an output back to it.
    private func cycle(from start: String) -> [String]? {
        var visited: Set<String> = []
        var ways = [[start]]
        while !ways.isEmpty {
            let way = ways.removeFirst()
            for next in reads(of: way[way.count - 1], certain: true).intersection(outputs).sorted() {
                if next == start { return way }
                if visited.insert(next).inserted { ways.append(way + [next]) }
            }
        }
        return nil
    }

    /// The outputs and conditions that are computed again only after a change of a value.
    private var readers: [String] { (outputs + conditions).filter { code[$0]?.first?.attribute?.isSampled != true } }

    /// The readers whose value changes with time.
    private var timed: [Diagnostic] {
        var reported: Set<SyntaxIdentifier> = []
        return readers.flatMap { reader in
            reads(of: reader, certain: true).union([reader]).sorted().flatMap { name in
                (code[name] ?? []).compactMap { code -> Diagnostic? in
                    guard name == reader || code.attribute == nil, let time = code.valueReads.time,
                        reported.insert(time.id).inserted
                    else { return nil }
                    return Diagnostic(time, .time, reader, severity: .warning)
                }
            }
        }
    }

    /// The stored properties that an output or a condition reads and does not follow.
    private var untracked: [Diagnostic] {
        var reported: Set<String> = []
        return readers.flatMap { reader in
            reads(of: reader, certain: true).union(conditions.contains(reader) ? [reader] : []).sorted()
                .compactMap { name -> Diagnostic? in
                    guard let variable = variables[name], reported.insert(name).inserted else { return nil }
                    return Diagnostic.untracked(variable, name, readBy: reader)
                }
        }
    }
}

extension ComputedOutputs {
    /// The variables of a model that others see and that a computed property reads, so that no output follows it.
    var untrackedOfModel: [Diagnostic] {
        var reported: Set<String> = []
        let readers = code.filter { !$0.key.hasSuffix("()") && $0.value.first?.isPrivate == false }.keys.sorted()
        return readers.flatMap { reader in
            reads(of: reader, certain: true).sorted().compactMap { name -> Diagnostic? in
                guard let variable = variables[name], variable.modifiers.privateModifier == nil,
                    reported.insert(name).inserted
                else { return nil }
                return Diagnostic.untracked(variable, name, readBy: reader, as: .untrackedModel)
            }
        }
    }
}

extension Diagnostic {
    /// Returns the report of a plain variable that an output or a property reads.
    fileprivate static func untracked(
        _ variable: VariableDeclSyntax,
        _ name: String,
        readBy reader: String,
        as mistake: Mistake = .untracked
    ) -> Self {
        let state = variable.with(\.leadingTrivia, []).with(\.attributes, [.attribute("@State ")])
            .with(\.leadingTrivia, variable.leadingTrivia)
        let hasObservers = variable.bindings.first?.accessorBlock != nil
        let fix = hasObservers ? nil : FixIt("write `@State var \(name)`", replacing: variable, with: state)
        return Diagnostic(variable.bindings, mistake, name, reader, fix: fix, severity: .warning)
    }
}

extension ExprSyntax {
    /// The property of a key path with a single component.
    var lastProperty: String? {
        guard let path = self.as(KeyPathExprSyntax.self), path.components.count == 1,
            case .property(let property) = path.components.first?.component
        else { return nil }
        return property.declName.name
    }

    fileprivate var rootType: TypeSyntax? { self.as(KeyPathExprSyntax.self)?.root }
}
