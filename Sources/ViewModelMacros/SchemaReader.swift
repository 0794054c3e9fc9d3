import SwiftDiagnostics
import SwiftParser
import SwiftSyntax
import SwiftSyntaxBuilder

/// A parser for the declaration of a type of values on the wire.
struct SchemaReader {
    /// The source text of the schema, or nil if the author has written one.
    private(set) var schema: String?
    /// The access level of the schema and a space, or an empty string.
    private(set) var access = ""
    private(set) var diagnostics: [Diagnostic] = []

    init(_ declaration: some DeclGroupSyntax, isNested: Bool) {
        guard declaration.is(StructDeclSyntax.self) || declaration.is(EnumDeclSyntax.self) else {
            diagnostics.append(.misplaced("Schemable", at: declaration.introducer))
            return
        }
        if let modifier = declaration.modifiers.first(where: { $0.name.text == "private" }), isNested {
            diagnostics.report(modifier, .nestedPrivate, fix: .replacing(modifier.name, with: .keyword(.fileprivate)))
        }
        // The compiler finds an own `==` twice if the macro adds the conformance.
        if let equality = declaration.ownEquality, !declaration.inherits("Equatable") {
            diagnostics.report(equality.name, .ownEquality, declaration.typeName)
        }
        guard !declaration.declaresSchema else { return }
        let ownSchema = ", or write `static var schema: Schema { … }`"
        access = declaration.modifiers.memberAccess
        for item in declaration.memberBlock.members {
            if let initializer = item.decl.as(InitializerDeclSyntax.self),
                initializer.signature.has(only: "from")
            {
                diagnostics.report(initializer.initKeyword, .ownCoding, declaration.typeName)
            } else if let function = item.decl.as(FunctionDeclSyntax.self), function.name.text == "encode",
                function.signature.has(only: "to")
            {
                diagnostics.report(function.name, .ownCoding, declaration.typeName)
            } else if item.decl.is(IfConfigDeclSyntax.self) {
                diagnostics.report(item.decl, .conditional, "@Schemable", "the declaration", ownSchema)
            }
        }
        guard diagnostics.isEmpty else { return }
        if let declaration = declaration.as(StructDeclSyntax.self) {
            let names = codingKeys("CodingKeys", in: declaration)
            let properties = properties(of: declaration, only: names.map { Set($0.map(\.name)) })
            schema = lines(".object", entries(properties, names)) + Self.described(DocComment(of: declaration))
        } else if let declaration = declaration.as(EnumDeclSyntax.self) {
            schema = alternatives(of: declaration).map { $0 + Self.described(DocComment(of: declaration)) }
        }
    }

    /// Returns the source text that adds a doc comment to a schema, or an empty string.
    private static func described(_ comment: DocComment) -> String {
        comment.text.isEmpty ? "" : ".described(\(comment.text.asLiteral))"
    }
}

// MARK: - Objects

extension SchemaReader {
    struct Property {
        let name: String
        let type: TypeSyntax
        var description = ""
        /// The source text of the arguments of `Bounds`, or nil.
        var bounds: String?
        /// The initial value, which saved values without the property get.
        var value: ExprSyntax?
        /// The source texts of the names under which it was saved before.
        var formerNames: [String] = []

        private var isOptional: Bool { type.is(ImplicitlyUnwrappedOptionalTypeSyntax.self) || type.isOptional }

        /// The source text of the argument for values that were saved before, or an empty string.
        private var earlier: String {
            let names = formerNames.isEmpty ? nil : "[\(formerNames.joined(separator: ", "))]"
            let absent =
                isOptional
                ? nil
                : value.map { value in
                    let text = value.literalType == nil ? "(\(value.trimmed))" : "\(value.trimmed)"
                    return "absent: { \(text) as \(type.trimmed) }"
                }
            let arguments = [names, absent].compactMap(\.self)
            return arguments.isEmpty ? "" : ", earlier: .init(\(arguments.joined(separator: ", ")))"
        }

        /// Returns the source text of its entry in an object, under a name that is the source text of a literal.
        func entry(_ key: String) -> String {
            let type = type.trimmed
            let unwrapped = type.as(ImplicitlyUnwrappedOptionalTypeSyntax.self)
            let schema =
                ".of(\(unwrapped.map { "\($0.wrappedType.trimmed)?" } ?? type.description).self)"
                + (bounds.map { ".bounded(.init(\($0)))" } ?? "")
            return ".init(\(key), \(schema)" + (isOptional ? ", required: false" : "")
                + (description.isEmpty ? "" : ", description: \(description.asLiteral)") + earlier + ")"
        }
    }

    /// Returns the properties that Swift's synthesised coding reads.
    private mutating func properties(of declaration: StructDeclSyntax, only names: Set<String>?) -> [Property] {
        var properties: [Property] = []
        for item in declaration.memberBlock.members {
            guard let variable = item.decl.as(VariableDeclSyntax.self),
                !variable.modifiers.contains(where: { ["static", "lazy"].contains($0.name.text) })
            else { continue }
            let isConstant = variable.bindingSpecifier.tokenKind == .keyword(.let)
            let description = DocComment(of: variable).text
            let bounds = variable.attributes.bounds()
            let formerNames = variable.attributes.attribute("Formerly")?.formerNames ?? []
            for binding in variable.bindings
            where !binding.isComputed && !(isConstant && binding.initializer != nil) {
                guard let name = binding.identifier?.text.withoutBackticks else {
                    diagnostics.report(binding.pattern, .pattern, "property", "var")
                    continue
                }
                guard names?.contains(name) != false else { continue }
                guard let type = binding.type(in: variable.bindings) ?? binding.initializer?.value.literalType
                else {
                    diagnostics.report(binding.pattern, .unknownType, name)
                    continue
                }
                properties.append(
                    Property(
                        name: name,
                        type: type,
                        description: description,
                        bounds: bounds,
                        value: binding.initializer?.value,
                        formerNames: formerNames
                    )
                )
            }
        }
        return properties
    }

    /// Returns the entries of an object, in the order of the coding.
    ///
    /// The names are those of the properties, with the source text of their names on the wire. They are nil without
    /// coding keys.
    private func entries(_ properties: [Property], _ names: [(name: String, key: String)]?) -> [String] {
        (names ?? properties.map { ($0.name, $0.name.asLiteral) }).compactMap { name, key in
            properties.first { $0.name == name }?.entry(key)
        }
    }

    /// Returns the source text of a schema with a list of parts, one in a line.
    private func lines(_ function: String, _ parts: [String]) -> String {
        parts.isEmpty ? "\(function)([])" : "\(function)([\n" + parts.map { "        \($0),\n" }.joined() + "    ])"
    }

    /// Returns the cases of an enum of coding keys with the source text of their names on the wire, or nil if there is no
    /// such type.
    private mutating func codingKeys(
        _ name: String,
        in declaration: some DeclGroupSyntax
    ) -> [(name: String, key: String)]? {
        let types = declaration.memberBlock.members.compactMap { $0.decl.asProtocol((any NamedDeclSyntax).self) }
        guard let type = types.first(where: { $0.name.text == name }) else { return nil }
        guard let keys = type.as(EnumDeclSyntax.self) else {
            diagnostics.report(type.name, .codingKeysNotAnEnum)
            return nil
        }
        return keys.cases.map { element in
            let name = element.name.text.withoutBackticks
            return (name, element.rawValue?.value.trimmedDescription ?? name.asLiteral)
        }
    }
}

// MARK: - Enums

extension SchemaReader {
    private static let integers: Set = [
        "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64",
    ]
    private static let otherRawTypes: Set = ["Character", "Double", "Float"]

    /// Returns the source text of an enum's schema.
    private mutating func alternatives(of declaration: EnumDeclSyntax) -> String? {
        let cases = declaration.cases
        guard !cases.isEmpty else {
            diagnostics.report(declaration.name, .noCases, declaration.name.text)
            return nil
        }
        let inherited = declaration.inheritanceClause?.inheritedTypes.map(\.type) ?? []
        let rawType = inherited.first?.name ?? ""
        if let type = inherited.first, Self.otherRawTypes.contains(rawType) {
            diagnostics.report(type, .rawType, rawType, declaration.name.text)
            return nil
        }
        if rawType == "String" || Self.integers.contains(rawType) || cases.contains(where: { $0.rawValue != nil }) {
            // As far as the syntax shows it.
            let isOfIntegers =
                Self.integers.contains(rawType) || cases.contains { $0.rawValue?.value.literalType?.name == "Int" }
            let notes = cases.compactMap { $0.note(isOfIntegers: isOfIntegers) }
            let noted = notes.isEmpty ? ")" : ", [\n" + notes.map { "        \($0),\n" }.joined() + "    ])"
            if declaration.inherits("CaseIterable") { return ".cases(allCases\(noted)" }
            let names = cases.enumerated().map { "\($0.offset == 0 ? "Self" : "").\($0.element.name.text)" }
            return ".cases([\(names.joined(separator: ", "))]\(noted)"
        }
        let names = codingKeys("CodingKeys", in: declaration) ?? cases.map { ($0.plainName, $0.plainName.asLiteral) }
        var parts: [String] = []
        for (name, key) in names {
            guard let element = cases.first(where: { $0.plainName == name }) else { continue }
            let keys = codingKeys("\(name.prefix(1).uppercased())\(name.dropFirst())CodingKeys", in: declaration)
            let values = entries(element.associatedValues, keys).joined(separator: ", ")
            let comment = element.comment.map(Self.described) ?? ""
            parts.append(".object([.init(\(key), .object([\(values)]))])\(comment)")
        }
        return lines(".anyOf", parts)
    }
}

extension EnumCaseElementSyntax {
    fileprivate var plainName: String { name.text.withoutBackticks }

    /// The declaration, which may have several cases.
    var declaration: EnumCaseDeclSyntax? { parent?.parent?.as(EnumCaseDeclSyntax.self) }

    /// The doc comment of the declaration.
    var comment: DocComment? { declaration.map { DocComment(of: $0) } }

    /// Returns the source text of a note about a case with a raw value; nil if the value says everything.
    fileprivate func note(isOfIntegers: Bool) -> String? {
        let description = comment?.text ?? ""
        let value = rawValue?.value.as(StringLiteralExprSyntax.self)?.representedLiteralValue
        // Without a written value, the value of a string is the name. An integer has no name of its own.
        let isNamed = rawValue != nil ? value != plainName : isOfIntegers
        guard isNamed || !description.isEmpty else { return nil }
        return "(.\(name.text), \((isNamed ? plainName : "").asLiteral), \(description.asLiteral))"
    }

    /// The associated values, with the names that Swift's synthesised coding gives to them.
    fileprivate var associatedValues: [SchemaReader.Property] {
        (parameterClause?.parameters ?? []).enumerated().map { index, parameter in
            let label = parameter.firstName?.text.withoutBackticks
            return .init(name: label == nil || label == "_" ? "_\(index)" : label ?? "", type: parameter.type)
        }
    }
}

// MARK: - Syntax

extension DeclGroupSyntax {
    fileprivate var typeName: String { asProtocol((any NamedDeclSyntax).self)?.name.text ?? "" }

    fileprivate var ownEquality: FunctionDeclSyntax? {
        memberBlock.members.lazy.compactMap { $0.decl.as(FunctionDeclSyntax.self) }.first { $0.name.text == "==" }
    }

    fileprivate func inherits(_ name: String) -> Bool {
        inheritanceClause?.inheritedTypes.contains { $0.type.name == name } ?? false
    }

    /// Whether the declaration contains the author's own `static var schema`.
    fileprivate var declaresSchema: Bool {
        memberBlock.members.contains { item in
            guard let variable = item.decl.as(VariableDeclSyntax.self) else { return false }
            return variable.modifiers.contains { $0.name.text == "static" }
                && variable.bindings.contains { $0.pattern.trimmedDescription == "schema" }
        }
    }
}

extension EnumDeclSyntax {
    var cases: [EnumCaseElementSyntax] {
        memberBlock.members.compactMap { $0.decl.as(EnumCaseDeclSyntax.self) }.flatMap { Array($0.elements) }
    }
}

extension FunctionSignatureSyntax {
    /// Returns whether the only parameter has a label.
    fileprivate func has(only label: String) -> Bool {
        parameterClause.parameters.map(\.firstName.text) == [label]
    }
}
