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
    private(set) var members: [GroupMember] = []
    /// The members in the short form; empty in the explicit form.
    private(set) var shortMembers: [ShortMember] = []
    /// The properties with `@State`.
    private(set) var states: [PlacedMember] = []
    /// The mistakes, which prevent the expansion.
    private(set) var diagnostics: [Diagnostic] = []
    private(set) var warnings: [Diagnostic] = []

    init(_ attribute: AttributeSyntax, _ declaration: some DeclGroupSyntax) {
        guard let declaration = declaration.as(ClassDeclSyntax.self) else {
            diagnoseKind(of: declaration)
            return
        }
        readClass(declaration)
        readName(attribute, declaration)
        let shortForm = ShortFormReader(members: declaration.memberBlock.members.map(\.decl))
        if shortForm.members.isEmpty, shortForm.diagnostics.isEmpty {
            for group in MemberGroup.allCases { read(group, in: declaration) }
        } else {
            read(shortForm, in: declaration)
        }
        states = PlacedMember.states(of: declaration)
        readArguments(declaration)
        compareNames()
        let bodies = BodyReader(declaration).diagnostics
        diagnostics += bodies.filter { $0.diagMessage.severity == .error }
        warnings = bodies.filter { $0.diagMessage.severity != .error }
    }

    private mutating func diagnose(
        _ node: some SyntaxProtocol,
        _ diagnostic: ViewModelDiagnostic,
        _ fixIts: [FixIt] = []
    ) {
        diagnostics.append(Diagnostic(node: node, message: diagnostic, fixIts: fixIts))
    }
}

// MARK: - The class

extension ViewModelReader {
    private mutating func diagnoseKind(of declaration: some DeclGroupSyntax) {
        let name = declaration.asProtocol((any NamedDeclSyntax).self)?.name.text ?? "…"
        let canBecomeClass = declaration.is(StructDeclSyntax.self) || declaration.is(ActorDeclSyntax.self)
        diagnose(
            declaration.introducer,
            .notAClass(name),
            canBecomeClass
                ? [.replacing(declaration.introducer, with: .identifier("final class"), saying: "final class \(name)")]
                : []
        )
    }

    private mutating func readClass(_ declaration: ClassDeclSyntax) {
        let modifiers = declaration.modifiers.map(\.name.text)
        if !modifiers.contains("final") {
            diagnose(
                declaration.classKeyword,
                .notFinal(declaration.name.text),
                [
                    .replacing(
                        declaration.classKeyword,
                        with: .identifier("final class"),
                        saying: "final class \(declaration.name.text)"
                    )
                ]
            )
        }
        if let parameters = declaration.genericParameterClause {
            diagnose(parameters, .generic(declaration.name.text))
        }
        access = declaration.modifiers.memberAccess
        description =
            DocComment(before: declaration, declaration.modifiers.first?.name ?? declaration.classKeyword).text
    }

    private mutating func readName(_ attribute: AttributeSyntax, _ declaration: ClassDeclSyntax) {
        var given: ExprSyntax?
        if case .argumentList(let arguments) = attribute.arguments { given = arguments.first?.expression }
        if given?.is(NilLiteralExprSyntax.self) == true { given = nil }
        if let given {
            guard let literal = given.as(StringLiteralExprSyntax.self)?.plainText else {
                return diagnose(given, .nameNotLiteral)
            }
            name = literal
        } else {
            name = MacroWireName.ofType(declaration.name.text.withoutBackticks)
        }
        let place = given.map(Syntax.init) ?? Syntax(declaration.name)
        if !MacroWireName.isType(name) {
            diagnose(place, .invalidName(name))
        } else if MacroWireName.reserved.contains(name) {
            diagnose(place, .reservedName(name))
        }
    }
}

// MARK: - The groups

extension ViewModelReader {
    private mutating func read(_ group: MemberGroup, in declaration: ClassDeclSyntax) {
        let type = declaration.nestedType(group.typeName)
        let property = declaration.property(group.propertyName)
        switch (type, property) {
        case (nil, nil): return
        case (nil, let property?): return diagnose(property.binding.pattern, .missingStruct(group))
        case (let type?, _) where !type.is(StructDeclSyntax.self): return diagnoseGroup(group.typeName, type)
        case (let type?, nil): diagnose(type.nameToken, .missingProperty(group), addition(of: group, after: type))
        case (_, let property?): check(property, group)
        }
        guard let structure = type?.as(StructDeclSyntax.self) else { return }
        let reader = MemberGroupParser(group, structure)
        members += reader.members
        diagnostics += reader.diagnostics
    }

    /// Takes over the members of the short form, which excludes the explicit one.
    private mutating func read(_ shortForm: ShortFormReader, in declaration: ClassDeclSyntax) {
        shortMembers = shortForm.members
        members = shortForm.members.map(\.member)
        diagnostics += shortForm.diagnostics
        for group in MemberGroup.allCases {
            if let type = declaration.nestedType(group.typeName) {
                diagnose(type.nameToken, .bothForms(group))
            } else if let name = declaration.name(group.propertyName), members.contains(where: { $0.group == group }) {
                diagnose(name, .nameOfGroup(group.propertyName))
            }
        }
    }

    private mutating func readArguments(_ declaration: ClassDeclSyntax) {
        guard let type = declaration.nestedType("Arguments") else { return }
        if !type.is(StructDeclSyntax.self) { diagnoseGroup("Arguments", type) }
        hasArguments = true
    }

    private mutating func diagnoseGroup(_ name: String, _ type: DeclSyntax) {
        let keyword = type.asProtocol((any DeclGroupSyntax).self)?.introducer
        let fixIts = keyword.map { [FixIt.replacing($0, with: .keyword(.struct), saying: "struct \(name)")] }
        diagnose(keyword.map(Syntax.init) ?? Syntax(type), .groupNotAStruct(name), fixIts ?? [])
    }

    private mutating func check(_ property: ClassDeclSyntax.Property, _ group: MemberGroup) {
        let specifier = property.variable.bindingSpecifier
        if property.binding.isComputed {
            diagnose(specifier, .propertyNotLet(group))
        } else if specifier.tokenKind != .keyword(.let) {
            diagnose(specifier, .propertyNotLet(group), [.replacing(specifier, with: .keyword(.let))])
        }
        if let type = property.binding.typeAnnotation?.type, type.name != group.typeName {
            diagnose(type, .propertyOfOtherType(group))
        }
    }

    /// Returns a fix-it that inserts the missing property after the struct.
    private func addition(of group: MemberGroup, after type: DeclSyntax) -> [FixIt] {
        guard let item = type.parent?.as(MemberBlockItemSyntax.self),
            let list = item.parent?.as(MemberBlockItemListSyntax.self),
            let index = list.index(of: item)
        else { return [] }
        let indentation = Trivia(pieces: item.leadingTrivia.reversed().prefix { $0.isSpaceOrTab }.reversed())
        let line: DeclSyntax = "let \(raw: group.propertyName): \(raw: group.typeName)"
        var new = list
        new.insert(
            MemberBlockItemSyntax(decl: line.with(\.leadingTrivia, .newline + indentation)),
            at: list.index(after: index)
        )
        return [
            FixIt(
                message: FixItText(message: "write `\(line)`"),
                changes: [.replace(oldNode: Syntax(list), newNode: Syntax(new))]
            )
        ]
    }

    /// Reports a member whose name a member of the rival group has already.
    private mutating func compareNames() {
        for (index, member) in members.enumerated() {
            let rival = member.group.rival.group
            if members[..<index].contains(where: { $0.group == member.group && $0.name == member.name }) {
                diagnose(member.identifier, .twice(member.name, member.group))
            } else if members[..<index].contains(where: { $0.group == rival && $0.name == member.name }) {
                diagnose(member.identifier, .sameName(member.name, member.group))
            }
        }
    }
}

extension ClassDeclSyntax {
    /// A binding and its declaration.
    fileprivate struct Property {
        let variable: VariableDeclSyntax
        let binding: PatternBindingSyntax
    }

    /// Returns the nested type with a name, of any kind.
    fileprivate func nestedType(_ name: String) -> DeclSyntax? {
        memberBlock.members.map(\.decl).first { declaration in
            (declaration.asProtocol((any DeclGroupSyntax).self) != nil || declaration.is(TypeAliasDeclSyntax.self))
                && declaration.nameToken.text == name
        }
    }

    /// Returns the name token of the instance property or the function with a name.
    fileprivate func name(_ name: String) -> TokenSyntax? {
        if let property = property(name) {
            return property.binding.pattern.as(IdentifierPatternSyntax.self)?.identifier
        }
        return memberBlock.members.lazy.compactMap { $0.decl.as(FunctionDeclSyntax.self)?.name }
            .first { $0.text.withoutBackticks == name }
    }

    /// Returns the instance property with a name.
    fileprivate func property(_ name: String) -> Property? {
        for item in memberBlock.members {
            guard let variable = item.decl.as(VariableDeclSyntax.self),
                !variable.modifiers.contains(where: { ["static", "class"].contains($0.name.text) })
            else { continue }
            for binding in variable.bindings
            where binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.text == name {
                return Property(variable: variable, binding: binding)
            }
        }
        return nil
    }
}

extension StringLiteralExprSyntax {
    /// The text between the quotes, or nil if the literal has an interpolation.
    var plainText: String? {
        segments.allSatisfy { $0.is(StringSegmentSyntax.self) } ? segments.description : nil
    }
}

extension DeclSyntax {
    /// The name of the declaration, or its first token if it has no name.
    fileprivate var nameToken: TokenSyntax {
        asProtocol((any NamedDeclSyntax).self)?.name ?? firstToken(viewMode: .sourceAccurate) ?? .identifier("")
    }
}
