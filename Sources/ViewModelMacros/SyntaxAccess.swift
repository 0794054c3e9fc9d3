import SwiftSyntax

extension AttributeListSyntax {
    func attribute(_ name: String) -> AttributeSyntax? {
        for case .attribute(let attribute) in self where attribute.plainName == name { return attribute }
        return nil
    }

    func has(_ name: String) -> Bool { attribute(name) != nil }

    /// The source texts of the error types of `@Throws`.
    var failures: [String] {
        let types = compactMap { $0.as(AttributeSyntax.self) }.filter { $0.plainName == "Throws" }
            .flatMap(\.argumentList).map(\.expression.trimmedDescription)
        return types.map { $0.hasSuffix(".self") ? String($0.dropLast(5)) : $0 }
    }
}

extension AttributeSyntax {
    /// The name without its module.
    var plainName: String { attributeName.name ?? attributeName.trimmedDescription }

    var argumentList: [LabeledExprSyntax] {
        guard case .argumentList(let list) = arguments else { return [] }
        return Array(list)
    }

    /// Returns the argument with a label, or the first argument if it has no label.
    ///
    /// An argument `nil` is the same as a missing one.
    func argument(_ label: String? = nil) -> ExprSyntax? {
        let expression = argumentList.prefix(label == nil ? 1 : .max).first { $0.label?.text == label }?.expression
        return expression?.is(NilLiteralExprSyntax.self) == true ? nil : expression
    }

    /// The source texts of the names under which the declaration was saved before: the arguments of `@Formerly`, or the
    /// argument `formerly`, which may have several values.
    var formerNames: [String] {
        let all = argumentList[...]
        let names = plainName == "Formerly" ? all : all.drop { $0.label?.text != "formerly" }
        guard let first = names.first else { return [] }
        return ([first] + names.dropFirst().prefix { $0.label == nil }).map(\.expression.trimmedDescription)
    }
}

extension DeclModifierListSyntax {
    /// The modifier of a member that belongs to the type.
    var staticModifier: DeclModifierSyntax? { first { ["static", "class"].contains($0.name.text) } }

    /// The modifier of a member that other files do not see.
    var privateModifier: DeclModifierSyntax? {
        first { $0.detail == nil && ["private", "fileprivate"].contains($0.name.text) }
    }

    /// The modifier that says how a property keeps its value.
    var storage: DeclModifierSyntax? { first { ["lazy", "weak", "unowned"].contains($0.name.text) } }

    /// The access level of what a macro writes: `public ` or `package `, or an empty string.
    var memberAccess: String {
        first { $0.detail == nil && ["public", "package"].contains($0.name.text) }.map { "\($0.name.text) " } ?? ""
    }
}

extension ClassDeclSyntax {
    /// Returns the names of the properties that are declared with one of these types.
    func properties(of types: Set<String>) -> Set<String> {
        let variables = memberBlock.members.compactMap { $0.decl.as(VariableDeclSyntax.self) }
            .filter { $0.modifiers.staticModifier == nil }
        let names = variables.flatMap { variable in
            variable.bindings.compactMap { binding in
                binding.type(in: variable.bindings)?.name.map(types.contains) == true
                    ? binding.identifier?.text.withoutBackticks : nil
            }
        }
        return Set(names)
    }
}

extension PatternBindingSyntax {
    /// The name of the property, unless its pattern is a tuple.
    var identifier: TokenSyntax? { pattern.as(IdentifierPatternSyntax.self)?.identifier }

    /// Whether the property is computed.
    var isComputed: Bool {
        guard let block = accessorBlock else { return false }
        guard case .accessors(let accessors) = block.accessors else { return true }
        return accessors.contains { !["willSet", "didSet"].contains($0.accessorSpecifier.text) }
    }

    /// The words `async` and `throws` of the property's getter.
    var getterEffects: AccessorEffectSpecifiersSyntax? {
        guard case .accessors(let accessors) = accessorBlock?.accessors else { return nil }
        return accessors.lazy.compactMap(\.effectSpecifiers).first
    }

    /// Returns the type that is written for the property.
    func type(in all: PatternBindingListSyntax) -> TypeSyntax? {
        if typeAnnotation != nil || initializer != nil { return typeAnnotation?.type }
        // In `let a, b: Output<Int>` the type follows the last name.
        return all.drop { $0.id != id }.first { $0.typeAnnotation != nil }?.typeAnnotation?.type
    }
}

extension StringLiteralExprSyntax {
    /// The text between the quotes, or nil if the literal has an interpolation.
    var plainText: String? {
        segments.allSatisfy { $0.is(StringSegmentSyntax.self) } ? segments.description : nil
    }
}
