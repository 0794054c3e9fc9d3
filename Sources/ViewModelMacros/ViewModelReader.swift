import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

/// A parser for the declaration of a ViewModel.
struct ViewModelReader {
    /// The name on the wire.
    private(set) var name = ""
    private(set) var description = ""
    /// The access level of the contract and a space, or an empty string.
    private(set) var access = ""
    private(set) var hasArguments = false
    /// The members in the order of the contract.
    private(set) var members: [Member] = []
    /// The properties with `@State`.
    private(set) var states: [PlacedMember] = []
    /// The computed outputs, whose signals other members read.
    private(set) var outputs = ComputedOutputs()
    private(set) var diagnostics: [Diagnostic] = []

    /// Whether there are no mistakes, which prevent the expansion.
    var isValid: Bool { diagnostics.allSatisfy { $0.diagMessage.severity != .error } }

    init(_ attribute: AttributeSyntax, _ declaration: some DeclGroupSyntax) {
        guard let declaration = declaration.as(ClassDeclSyntax.self) else {
            reportKind(of: declaration)
            return
        }
        readClass(declaration)
        readName(attribute, declaration)
        checkPaths(of: declaration)
        diagnostics += FactoryReader.mistakes(in: declaration)
        outputs = ComputedOutputs(declaration)
        readMembers(of: declaration)
        states = PlacedMember.states(of: declaration)
        if let type = declaration.nestedType("Arguments") {
            if !type.is(StructDeclSyntax.self) { reportGroup("Arguments", type) }
            hasArguments = true
        }
        compareNames()
        diagnostics += outputs.diagnostics + BodyReader(declaration).diagnostics
    }
}

// MARK: - The class

extension ViewModelReader {
    private mutating func reportKind(of declaration: some DeclGroupSyntax) {
        let name = declaration.asProtocol((any NamedDeclSyntax).self)?.name.text ?? "…"
        let canBecomeClass = declaration.is(StructDeclSyntax.self) || declaration.is(ActorDeclSyntax.self)
        let fix = canBecomeClass ? FixIt.finalClass(name, insteadOf: declaration.introducer) : nil
        diagnostics.report(declaration.introducer, .notAClass, name, fix: fix)
    }

    private mutating func readClass(_ declaration: ClassDeclSyntax) {
        let (name, keyword) = (declaration.name.text, declaration.classKeyword)
        if !declaration.isFinal {
            diagnostics.report(keyword, .notFinal, name, fix: .finalClass(name, insteadOf: keyword))
        }
        if let parameters = declaration.genericParameterClause { diagnostics.report(parameters, .generic, name) }
        access = declaration.modifiers.memberAccess
        description = DocComment(of: declaration).text
    }

    private mutating func readName(_ attribute: AttributeSyntax, _ declaration: ClassDeclSyntax) {
        let given = attribute.argument()
        if let given {
            guard let literal = given.as(StringLiteralExprSyntax.self)?.plainText else {
                return diagnostics.report(given, .nameNotLiteral)
            }
            name = literal
        } else {
            name = Self.defaultName(of: declaration.name.text.withoutBackticks)
        }
        let node = given.map(Syntax.init) ?? Syntax(declaration.name)
        if name.wholeMatch(of: /[A-Za-z][A-Za-z0-9_\-]{0,63}/) == nil {
            diagnostics.report(node, .invalidName, name)
        } else if ["rpc", "session", "viewModel"].contains(name) {
            diagnostics.report(node, .reservedName, name)
        }
    }

    /// Returns the default name of a class: `mineHeader` for `MineHeader`, `urlBar` for `URLBar`.
    private static func defaultName(of type: String) -> String {
        let capitals = type.prefix(while: \.isUppercase)
        let rest = type.dropFirst(capitals.count)
        // The last of several capitals begins the next word.
        let count = capitals.count > 1 && rest.first?.isLowercase == true ? capitals.count - 1 : capitals.count
        return type.prefix(count).lowercased() + type.dropFirst(count)
    }
}

// MARK: - The members

extension ViewModelReader {
    /// Reads the members with attributes or, in a class without them, those of the groups.
    private mutating func readMembers(of declaration: ClassDeclSyntax) {
        let reader = MemberReader(declaration.memberBlock.members.map(\.decl), outputs)
        take(reader)
        let hasAttributes = !reader.members.isEmpty || !reader.diagnostics.isEmpty
        for group in MemberGroup.allCases {
            let type = declaration.nestedType(group.typeName)
            if !hasAttributes {
                read(group, type, in: declaration)
            } else if let type {
                diagnostics.report(type.nameToken, .bothForms, group.typeName)
            } else if let name = declaration.name(group.propertyName), members.contains(where: { $0.group == group }) {
                diagnostics.report(name, .nameOfGroup, group.propertyName)
            }
        }
    }

    /// Reports conditions that are no key paths from the class.
    private mutating func checkPaths(of declaration: ClassDeclSyntax) {
        let name = declaration.name.text
        for path in declaration.memberBlock.members.flatMap({ $0.decl.memberAttribute?.paths ?? [] }) {
            if let keyPath = path.as(KeyPathExprSyntax.self) {
                guard keyPath.root == nil else { continue }
                let new = keyPath.trimmed.with(\.root, "\(raw: name)")
                let fix = FixIt("write `\(new)`", replacing: path, with: ExprSyntax(new))
                diagnostics.report(path, .pathWithoutClass, "\(new)", fix: fix)
            } else if path.isNeverPath {
                diagnostics.report(path, .notAPath, name)
            }
        }
    }

    private mutating func take(_ reader: MemberReader) {
        members += reader.members
        diagnostics += reader.diagnostics
    }

    /// Reads a group that the author has written: its struct and its property.
    private mutating func read(_ group: MemberGroup, _ type: DeclSyntax?, in declaration: ClassDeclSyntax) {
        let property = declaration.property(group.propertyName)
        guard let type else {
            if let property {
                diagnostics.report(property.binding.pattern, .missingStruct, group.typeName, group.propertyName)
            }
            return
        }
        guard let structure = type.as(StructDeclSyntax.self) else { return reportGroup(group.typeName, type) }
        if let (variable, binding) = property {
            check(variable, binding, of: group)
        } else {
            diagnostics.report(
                structure.name,
                .missingProperty,
                group.typeName,
                group.propertyName,
                fix: addition(of: group, after: type)
            )
        }
        take(MemberReader(group, structure))
    }

    private mutating func reportGroup(_ name: String, _ type: DeclSyntax) {
        let keyword = type.asProtocol((any DeclGroupSyntax).self)?.introducer
        let fix = keyword.map { FixIt.replacing($0, with: .keyword(.struct), saying: "struct \(name)") }
        diagnostics.report(keyword.map(Syntax.init) ?? Syntax(type), .groupNotAStruct, name, fix: fix)
    }

    private mutating func check(
        _ variable: VariableDeclSyntax,
        _ binding: PatternBindingSyntax,
        of group: MemberGroup
    ) {
        let specifier = variable.bindingSpecifier
        if binding.isComputed || specifier.tokenKind != .keyword(.let) {
            let fix = binding.isComputed ? nil : FixIt.replacing(specifier, with: .keyword(.let))
            diagnostics.report(specifier, .propertyNotLet, group.typeName, group.propertyName, fix: fix)
        }
        if let type = binding.typeAnnotation?.type, type.name != group.typeName {
            diagnostics.report(type, .propertyOfOtherType, group.typeName, group.propertyName)
        }
    }

    /// Returns a fix-it that inserts the missing property after the struct.
    private func addition(of group: MemberGroup, after type: DeclSyntax) -> FixIt? {
        guard let item = type.parent?.as(MemberBlockItemSyntax.self),
            let list = item.parent?.as(MemberBlockItemListSyntax.self),
            let index = list.index(of: item)
        else { return nil }
        let indentation = Trivia(pieces: item.leadingTrivia.reversed().prefix { $0.isSpaceOrTab }.reversed())
        let line: DeclSyntax = "let \(raw: group.propertyName): \(raw: group.typeName)"
        var new = list
        new.insert(
            MemberBlockItemSyntax(decl: line.with(\.leadingTrivia, .newline + indentation)),
            at: list.index(after: index)
        )
        return FixIt("write `\(line)`", replacing: list, with: new)
    }

    /// Reports a member whose name a member of the rival group has already.
    private mutating func compareNames() {
        for (index, member) in members.enumerated() {
            let others = members[..<index].filter { $0.name == member.name }.map(\.group)
            let rival = member.group.rival
            let hasPeer = members.contains { other in
                // A field is an input and an output of one declaration.
                other.identifier.id != member.identifier.id && other.name == member.name
                    && other.parts?.object != nil && [.inputs, .actions, .ownActions].contains(member.group)
            }
            if others.contains(member.group) {
                diagnostics.report(member.identifier, .twice, member.group.typeName, member.name)
            } else if others.contains(rival.group) {
                diagnostics.report(member.identifier, .sameName, rival.group.typeName, member.name, rival.reason)
            } else if hasPeer {
                diagnostics.report(
                    member.identifier,
                    .sameName,
                    "Outputs",
                    member.name,
                    "both have a `$\(member.name)`"
                )
            }
        }
    }
}

extension FixIt {
    fileprivate static func finalClass(_ name: String, insteadOf keyword: TokenSyntax) -> FixIt {
        .replacing(keyword, with: .identifier("final class"), saying: "final class \(name)")
    }
}

extension ClassDeclSyntax {
    var isFinal: Bool { modifiers.contains { $0.name.text == "final" } }

    /// Returns the nested type with a name, of any kind.
    fileprivate func nestedType(_ name: String) -> DeclSyntax? {
        memberBlock.members.map(\.decl).first { declaration in
            (declaration.asProtocol((any DeclGroupSyntax).self) != nil || declaration.is(TypeAliasDeclSyntax.self))
                && declaration.nameToken.text == name
        }
    }

    fileprivate func name(_ name: String) -> TokenSyntax? {
        property(name)?.binding.identifier
            ?? memberBlock.members.lazy.compactMap { $0.decl.as(FunctionDeclSyntax.self)?.name }
            .first { $0.text.withoutBackticks == name }
    }

    fileprivate func property(_ name: String) -> (variable: VariableDeclSyntax, binding: PatternBindingSyntax)? {
        for case let variable? in memberBlock.members.map({ $0.decl.as(VariableDeclSyntax.self) })
        where variable.modifiers.staticModifier == nil {
            if let binding = variable.bindings.first(where: { $0.identifier?.text == name }) {
                return (variable, binding)
            }
        }
        return nil
    }
}

extension DeclSyntax {
    /// The name of the declaration, or its first token if it has no name.
    fileprivate var nameToken: TokenSyntax {
        asProtocol((any NamedDeclSyntax).self)?.name ?? firstToken(viewMode: .sourceAccurate) ?? .identifier("")
    }
}
