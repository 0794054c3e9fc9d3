import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// The macros of the attributes of a member, and `@State`.
///
/// A property whose value lies in a cell gets accessors, and a peer `$name` holds its ``Cell``, or its ``ListCell`` for
/// `Rows`. The peer of an event is the ``Event``, which sends; the property itself has no value. A computed property
/// stays as it is. The peer of a function is the ``Input`` or ``Action``. `@ViewModel` reads the rest.
enum ViewModelMemberMacro: AccessorMacro, PeerMacro, FormattedMacro {
    /// The attributes of properties that become accessors.
    private static let stored: Set = ["State", "Field", "Output", "Event"]

    static func expansion(
        of node: AttributeSyntax,
        providingAccessorsOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [AccessorDeclSyntax] {
        guard stored.contains(node.plainName), let property = StoredProperty(declaration, node) else { return [] }
        let cell = "$\(property.name)"
        if property.isEvent {
            return [
                """
                @available(*, unavailable, message: "An event has no value; send one with \(raw: cell).send(…)")
                get { fatalError("an event has no value") }
                """
            ]
        }
        if property.isList {
            let sentence = Mistake.listAssigned.sentence([property.name]).asLiteral
            return [
                "get { \(raw: cell) }",
                """
                @available(*, unavailable, message: \(raw: sentence))
                set { fatalError("a list is not set") }
                """,
            ]
        }
        var accessors: [AccessorDeclSyntax] = [
            "get { \(raw: cell).value }",
            "set { \(raw: cell).value = newValue }",
            "_modify { yield &\(raw: cell).value }",
        ]
        if property.initialValue == nil {
            accessors.insert(
                """
                @storageRestrictions(initializes: \(raw: cell))
                init(initialValue) { \(raw: cell) = \(raw: property.cell("initialValue")) }
                """,
                at: 0
            )
        }
        return accessors
    }

    static func expansion(
        of node: AttributeSyntax,
        providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        let enclosing = context.lexicalContext.first?.as(ClassDeclSyntax.self)
        guard node.plainName == "State" || enclosing?.attributes.has("ViewModel") == true else {
            context.diagnose(Diagnostic(node, .outsideViewModel, node.plainName))
            return []
        }
        if let function = declaration.as(FunctionDeclSyntax.self) {
            guard let member = MemberReader([DeclSyntax(function)], ComputedOutputs()).members.first else { return [] }
            let group = member.group
            let (name, type) = (member.identifier.text, member.typeText(in: "\(group.typeName)."))
            let access = group == .ownActions ? "private " : ""
            return ["\(raw: access)var $\(raw: member.name): \(raw: type) { \(raw: group.propertyName).\(raw: name) }"]
        }
        guard let variable = declaration.as(VariableDeclSyntax.self), stored.contains(node.plainName) else { return [] }
        if let mistake = mistake(in: variable, node) {
            context.diagnose(mistake)
            return []
        }
        guard let property = StoredProperty(variable, node) else { return [] }
        let access = property.isEvent ? "" : variable.access
        let rest = property.value.map { " = \($0)" } ?? ": \(property.cellType)"
        return ["\(raw: access)let $\(raw: property.name)\(raw: rest)"]
    }

    private static func mistake(in variable: VariableDeclSyntax, _ attribute: AttributeSyntax) -> Diagnostic? {
        let isComputed = variable.bindings.allSatisfy(\.isComputed)
        let property = StoredProperty(variable, attribute)
        if attribute.plainName == "Event" {
            return isComputed || property != nil ? nil : Diagnostic(attribute, .eventWithValue)
        }
        if let observed = variable.bindings.first?.accessorBlock, !isComputed {
            return Diagnostic(observed, .observedProperty)
        }
        if !isComputed, let modifier = variable.modifiers.storage {
            let text = modifier.trimmedDescription
            let others = variable.modifiers.filter { $0 != modifier }
            let fix = FixIt("remove `\(text)`", replacing: variable.modifiers, with: others)
            return Diagnostic(modifier, .storageModifier, text, fix: fix)
        }
        if attribute.argument() == nil, !attribute.formerNames.isEmpty { return Diagnostic(attribute, .formerUnsaved) }
        if let persistence = attribute.argument() {
            let name = persistence.as(MemberAccessExprSyntax.self)?.declName.baseName.text
            guard ["session", "user", "daemon"].contains(name) else { return Diagnostic(persistence, .persistence) }
            if isComputed { return Diagnostic(persistence, .computedPersistence) }
        }
        guard let property else { return nil }
        let specifier = variable.bindingSpecifier
        if specifier.tokenKind == .keyword(.let) {
            return Diagnostic(specifier, .valueNotVar, property.name, fix: .replacing(specifier, with: .keyword(.var)))
        }
        guard property.isList else { return nil }
        if let value = variable.bindings.first?.initializer?.value, value.is(FunctionCallExprSyntax.self) {
            return Diagnostic(value, .rowsWithCall)
        }
        return variable.modifiers.first { $0.detail != nil }.map { setter in
            let text = setter.trimmedDescription
            let others = variable.modifiers.filter { $0 != setter }
            let fix = FixIt("remove `\(text)`", replacing: variable.modifiers, with: others)
            return Diagnostic(setter, .listWithSetter, text, fix: fix)
        }
    }
}

/// A property that a macro turns into accessors of a cell, or an event.
struct StoredProperty {
    let identifier: TokenSyntax
    let isEvent: Bool
    /// The written type.
    let type: TypeSyntax?
    /// The source text of the initial value.
    ///
    /// An optional without one begins with nil.
    let initialValue: String?
    /// The source texts of the persistence, and of the argument with the former names; nil for a value that is not saved.
    let saving: (persistence: String, formerly: String)?

    init?(_ declaration: some DeclSyntaxProtocol, _ attribute: AttributeSyntax) {
        guard let variable = declaration.as(VariableDeclSyntax.self), variable.bindings.count == 1,
            let binding = variable.bindings.first, binding.accessorBlock == nil,
            let identifier = binding.identifier
        else { return nil }
        self.identifier = identifier
        type = binding.typeAnnotation?.type.trimmed
        isEvent = attribute.plainName == "Event"
        if isEvent {
            let isVar = variable.bindingSpecifier.tokenKind == .keyword(.var)
            guard isVar, type != nil, binding.initializer == nil else { return nil }
        }
        let isOptional = type?.is(OptionalTypeSyntax.self) ?? false
        let isList = type?.rowType != nil
        initialValue = binding.initializer?.value.trimmedDescription ?? (isOptional ? "nil" : isList ? "[]" : nil)
        let former = attribute.formerNames.joined(separator: ", ")
        let formerly = former.isEmpty ? "" : ", formerly: [\(former)]"
        saving = attribute.argument().map { ($0.trimmedDescription, formerly) }
    }

    var name: String { identifier.text.withoutBackticks }
    var isList: Bool { type?.rowType != nil }

    /// The source text of the type of the cell or the event.
    var cellType: String {
        let value = type?.description ?? ""
        if isEvent { return "ViewModelKit.Event<\(value)>" }
        return type?.rowType.map { "ViewModelKit.ListCell<\($0)>" } ?? "ViewModelKit.Cell<\(value)>"
    }

    /// The source text of the cell or the event; nil if an initialiser makes the cell.
    var value: String? { isEvent ? "\(cellType)()" : initialValue.map(cell) }

    /// Returns the source text of a new cell.
    func cell(_ value: String) -> String {
        let area = saving.map { $0.persistence.hasSuffix(".session") ? "" : ", in: \($0.persistence)" } ?? ""
        let restoring = saving.map { ", restoring: \(name.asLiteral)\($0.formerly)\(area)" } ?? ""
        return "\(type == nil ? "ViewModelKit.Cell" : cellType)(\(value)\(restoring))"
    }
}

extension VariableDeclSyntax {
    /// The access level of the variable for writing and a space, because the cell can be written.
    fileprivate var access: String {
        let levels = modifiers.filter {
            ["public", "package", "internal", "fileprivate", "private"].contains($0.name.text)
        }
        let level = levels.first { $0.detail != nil } ?? levels.first
        return level.map { "\($0.name.text) " } ?? ""
    }
}
