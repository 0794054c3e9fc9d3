import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// The macros `@State`, `@Field` and `@Output` for a property whose value lies in a cell.
///
/// The property gets accessors, and a peer `$name` holds its ``Cell``, or its ``ListCell`` for `Rows`. A computed property
/// stays as it is.
enum CellMacro: AccessorMacro, PeerMacro {
    /// The expansion has its own layout.
    static var formatMode: FormatMode { .disabled }

    /// Returns the accessors of the member.
    static func expansion(
        of node: AttributeSyntax,
        providingAccessorsOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [AccessorDeclSyntax] {
        guard let property = StoredProperty(declaration) else { return [] }
        let cell = "$\(property.name)"
        if property.isList { return ["get { \(raw: cell) }"] }
        var accessors: [AccessorDeclSyntax] = [
            "get { \(raw: cell).value }",
            "set { \(raw: cell).value = newValue }",
            "_modify { yield &\(raw: cell).value }",
        ]
        if property.initialValue == nil {
            accessors.insert(
                """
                @storageRestrictions(initializes: \(raw: cell))
                init(initialValue) { \(raw: cell) = \(raw: property.cell("initialValue", node)) }
                """,
                at: 0
            )
        }
        return accessors
    }

    /// Returns the declarations beside the member.
    static func expansion(
        of node: AttributeSyntax,
        providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        guard let variable = declaration.as(VariableDeclSyntax.self) else { return [] }
        guard node.plainName == "State" || context.isInViewModel(node) else { return [] }
        if let observed = variable.bindings.first?.accessorBlock, !variable.bindings.allSatisfy(\.isComputed) {
            context.diagnose(Diagnostic(node: observed, message: ViewModelDiagnostic.observedProperty))
            return []
        }
        if let place = node.place {
            if !place.isPersistence {
                context.diagnose(Diagnostic(node: place, message: ViewModelDiagnostic.persistence))
                return []
            }
            if variable.bindings.allSatisfy(\.isComputed) {
                context.diagnose(Diagnostic(node: place, message: ViewModelDiagnostic.computedPersistence))
                return []
            }
        }
        guard let property = StoredProperty(declaration) else { return [] }
        if variable.bindingSpecifier.tokenKind == .keyword(.let) {
            context.diagnose(
                Diagnostic(
                    node: variable.bindingSpecifier,
                    message: ViewModelDiagnostic.shortLet(property.name),
                    fixIts: [.replacing(variable.bindingSpecifier, with: .keyword(.var))]
                )
            )
            return []
        }
        if property.isList, let value = variable.bindings.first?.initializer?.value,
            value.is(FunctionCallExprSyntax.self)
        {
            context.diagnose(Diagnostic(node: value, message: ViewModelDiagnostic.rowsWithCall))
            return []
        }
        if property.isList, let setter = variable.modifiers.first(where: { $0.detail != nil }) {
            let others = variable.modifiers.filter { $0 != setter }
            let fix = FixIt(
                message: FixItText(message: "remove `\(setter.trimmedDescription)`"),
                changes: [.replace(oldNode: Syntax(variable.modifiers), newNode: Syntax(others))]
            )
            context.diagnose(
                Diagnostic(
                    node: setter,
                    message: ViewModelDiagnostic.listWithSetter(setter.trimmedDescription),
                    fixIts: [fix]
                )
            )
            return []
        }
        let access = variable.access
        guard let value = property.initialValue else {
            return ["\(raw: access)let $\(raw: property.name): \(raw: property.cellType)"]
        }
        return ["\(raw: access)let $\(raw: property.name) = \(raw: property.cell(value, node))"]
    }
}

/// A property that a macro turns into accessors of a cell.
private struct StoredProperty {
    let name: String
    /// The source text of the written type.
    private let type: TypeSyntax?
    /// The source text of the initial value.
    ///
    /// An optional without one begins with nil.
    let initialValue: String?

    init?(_ declaration: some DeclSyntaxProtocol) {
        guard let variable = declaration.as(VariableDeclSyntax.self), variable.bindings.count == 1,
            let binding = variable.bindings.first, binding.accessorBlock == nil,
            let identifier = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier
        else { return nil }
        name = identifier.text.withoutBackticks
        type = binding.typeAnnotation?.type.trimmed
        let isOptional = type?.is(OptionalTypeSyntax.self) ?? false
        let isList = type?.rowType != nil
        initialValue = binding.initializer?.value.trimmedDescription ?? (isOptional ? "nil" : isList ? "[]" : nil)
    }

    var isList: Bool { type?.rowType != nil }

    /// The source text of the cell's type.
    var cellType: String {
        let value = type?.description ?? ""
        return type?.rowType.map { "ViewModelKit.ListCell<\($0)>" } ?? "ViewModelKit.Cell<\(value)>"
    }

    /// Returns the source text of a new cell.
    func cell(_ value: String, _ attribute: AttributeSyntax) -> String {
        let restoring = attribute.persistence.map { ", restoring: \(name.asLiteral)\($0)" } ?? ""
        return "\(type == nil ? "ViewModelKit.Cell" : cellType)(\(value)\(restoring))"
    }
}

extension MacroExpansionContext {
    /// Returns whether a member is in the body of a class with `@ViewModel`, and reports its attribute if it is not.
    fileprivate func isInViewModel(_ attribute: AttributeSyntax) -> Bool {
        let enclosing = lexicalContext.first?.as(ClassDeclSyntax.self)
        let isInside = enclosing?.attributes.contains {
            $0.as(AttributeSyntax.self)?.attributeName.name == "ViewModel"
        }
        if isInside == true { return true }
        diagnose(Diagnostic(node: attribute, message: ViewModelDiagnostic.outsideViewModel(attribute.plainName)))
        return false
    }
}

extension AttributeSyntax {
    /// The name without its module.
    var plainName: String { attributeName.name ?? attributeName.trimmedDescription }

    /// The source text of the argument that says where the value is saved, empty for the session; nil if it is not saved.
    fileprivate var persistence: String? {
        guard let place = place?.trimmedDescription else { return nil }
        return place.hasSuffix(".session") ? "" : ", in: \(place)"
    }

    /// The argument that says where the value is saved; nil if it is not saved.
    fileprivate var place: ExprSyntax? {
        guard case .argumentList(let arguments) = arguments,
            let place = arguments.first(where: { $0.label == nil })?.expression, !place.is(NilLiteralExprSyntax.self)
        else { return nil }
        return place
    }
}

extension ExprSyntax {
    /// Whether the expression is a case of `Persistence`.
    fileprivate var isPersistence: Bool {
        let name = self.as(MemberAccessExprSyntax.self)?.declName.baseName.text
        return ["session", "user", "daemon"].contains(name)
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

/// The macro `@Event` for a property that declares an event.
///
/// A peer `$name` holds the ``Event``, which sends. The property itself has no value. A computed property returns the event
/// of a shared model and stays as it is.
enum EventMacro: AccessorMacro, PeerMacro {
    /// The expansion has its own layout.
    static var formatMode: FormatMode { .disabled }

    /// Returns the accessors of the member.
    static func expansion(
        of node: AttributeSyntax,
        providingAccessorsOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [AccessorDeclSyntax] {
        guard let (name, _) = nameAndType(of: declaration) else { return [] }
        return [
            """
            @available(*, unavailable, message: "An event has no value; send one with $\(raw: name).send(…)")
            get { fatalError("an event has no value") }
            """
        ]
    }

    /// Returns the declarations beside the member.
    static func expansion(
        of node: AttributeSyntax,
        providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        guard context.isInViewModel(node) else { return [] }
        if declaration.as(VariableDeclSyntax.self)?.bindings.allSatisfy(\.isComputed) == true { return [] }
        guard let (name, type) = nameAndType(of: declaration) else {
            context.diagnose(Diagnostic(node: node, message: ViewModelDiagnostic.eventWithValue))
            return []
        }
        return ["let $\(raw: name) = ViewModelKit.Event<\(raw: type)>()"]
    }

    private static func nameAndType(of declaration: some DeclSyntaxProtocol) -> (name: String, type: String)? {
        guard let variable = declaration.as(VariableDeclSyntax.self), variable.bindings.count == 1,
            variable.bindingSpecifier.tokenKind == .keyword(.var),
            let binding = variable.bindings.first, binding.accessorBlock == nil, binding.initializer == nil,
            let type = binding.typeAnnotation?.type.trimmedDescription
        else { return nil }
        return (binding.pattern.trimmedDescription.withoutBackticks, type)
    }
}

/// The macros `@Input` and `@Action` for functions, and `@Rows` and `@Child` for properties.
///
/// A function gets a peer `$name`, the ``Input`` or ``Action`` itself. `@ViewModel` reads the rest.
enum ShortMemberMacro: PeerMacro {
    /// The expansion has its own layout.
    static var formatMode: FormatMode { .disabled }

    /// Returns the declarations beside the member.
    static func expansion(
        of node: AttributeSyntax,
        providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        guard context.isInViewModel(node) else { return [] }
        guard let function = declaration.as(FunctionDeclSyntax.self) else { return [] }
        let reader = ShortFormReader(members: [DeclSyntax(function)])
        guard let member = reader.members.first else { return [] }
        let group = member.member.group
        let type =
            member.parameters == nil
            ? member.type : member.type.replacing("<", with: "<\(group.typeName).", maxReplacements: 1)
        let name = function.name.text
        return [
            "var $\(raw: name.withoutBackticks): ViewModelKit.\(raw: type) { \(raw: group.propertyName).\(raw: name) }"
        ]
    }
}
