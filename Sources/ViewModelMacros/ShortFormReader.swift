import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

/// A parser for the members of a ViewModel in the short form: properties and functions with an attribute each.
struct ShortFormReader {
    /// The members in the order of their declaration.
    private(set) var members: [ShortMember] = []
    private(set) var diagnostics: [Diagnostic] = []

    /// Reads those of the declarations that have an attribute of the short form.
    init(members: some Sequence<DeclSyntax>) {
        for declaration in members {
            if let conditional = declaration.as(IfConfigDeclSyntax.self), conditional.hasShortMembers {
                diagnose(conditional, .shortConditional)
            }
            guard let attribute = declaration.shortAttribute else { continue }
            if let variable = declaration.as(VariableDeclSyntax.self) {
                read(variable, attribute)
            } else if let function = declaration.as(FunctionDeclSyntax.self) {
                read(function, attribute)
            }
        }
    }

    private mutating func diagnose(
        _ node: some SyntaxProtocol,
        _ diagnostic: ViewModelDiagnostic,
        _ fixIts: [FixIt] = []
    ) {
        diagnostics.append(Diagnostic(node: node, message: diagnostic, fixIts: fixIts))
    }

    // MARK: Properties

    private mutating func read(_ variable: VariableDeclSyntax, _ attribute: ShortAttribute) {
        guard !attribute.kind.isOfFunctions else {
            return diagnose(variable.bindingSpecifier, .attributeOfFunction(attribute.kind.rawValue))
        }
        if let modifier = variable.modifiers.first(where: { ["static", "class"].contains($0.name.text) }) {
            return diagnose(modifier, .shortStatic(attribute.kind.rawValue))
        }
        guard variable.bindings.count == 1, let binding = variable.bindings.first,
            let identifier = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier
        else { return diagnose(variable.bindings, .shortPattern) }
        let name = identifier.text.withoutBackticks
        if !MacroWireName.isMember(name) { diagnose(identifier, .invalidMemberName(name)) }
        guard let type = binding.typeAnnotation?.type.trimmed ?? binding.initializer?.value.literalType else {
            return diagnose(identifier, .shortType(name))
        }
        if let written = binding.typeAnnotation?.type, let diagnostic = written.refusal {
            return diagnose(written, diagnostic)
        }
        let description = DocComment(before: variable, variable.modifiers.first?.name ?? variable.bindingSpecifier).text
        func member(_ group: MemberGroup, _ type: String, _ value: String) -> ShortMember {
            ShortMember(
                member: GroupMember(
                    group: group,
                    identifier: identifier,
                    description: description,
                    isVolatile: group == .outputs && (attribute.interval != nil || variable.attributes.isVolatile)
                ),
                access: variable.modifiers.memberAccess,
                type: type,
                value: value
            )
        }
        switch attribute.kind {
        case .field where binding.isComputed:
            diagnose(identifier, .computedField(name))
        case .field where type.rowType != nil:
            diagnose(identifier, .listAsField(name))
        case .field:
            members.append(
                member(.inputs, "Input<\(type)>", "ViewModelKit.Input(assigningTo: $\(name)\(attribute.check))")
            )
            members.append(member(.outputs, "Output<\(type)>", "ViewModelKit.Output($\(name))"))
        case .output where attribute.interval != nil && !binding.isComputed:
            diagnose(identifier, .storedSample(name))
        case .output:
            if let row = type.rowType {
                let list = binding.isComputed ? "self.\(identifier.text)" : "$\(name)"
                members.append(member(.outputs, "ListOutput<\(row)>", "ViewModelKit.ListOutput(\(list))"))
            } else {
                let source =
                    binding.isComputed
                    ? "\(attribute.sampling) { [unowned self] in self.\(identifier.text) }" : "($\(name))"
                members.append(member(.outputs, "Output<\(type)>", "ViewModelKit.Output\(source)"))
            }
        case .rows:
            guard binding.isComputed, let source = type.elementType else {
                return diagnose(identifier, .storedRows(name))
            }
            guard let maker = attribute.row else {
                let list = "ViewModelKit.ListOutput { [unowned self] in self.\(identifier.text) }"
                return members.append(member(.outputs, "ListOutput<\(source)>", list))
            }
            guard let row = maker.initialisedType else { return diagnose(maker, .rowWithoutType) }
            let list = "ViewModelKit.ListOutput(row: \(maker.trimmed)) { [unowned self] in self.\(identifier.text) }"
            members.append(member(.outputs, "ListOutput<\(row)>", list))
        case .event:
            members.append(member(.outputs, "Event<\(type)>", "$\(name)"))
        case .child:
            if variable.bindingSpecifier.tokenKind != .keyword(.let) {
                let fix = FixIt.replacing(variable.bindingSpecifier, with: .keyword(.let))
                diagnose(variable.bindingSpecifier, .childNotLet(name), [fix])
            }
            members.append(member(.children, "\(type)", "\(identifier.text)"))
        case .input, .action: break
        }
    }

    // MARK: Functions

    private mutating func read(_ function: FunctionDeclSyntax, _ attribute: ShortAttribute) {
        guard attribute.kind.isOfFunctions else {
            return diagnose(function.name, .attributeOfProperty(attribute.kind.rawValue))
        }
        if let modifier = function.modifiers.first(where: { ["static", "class"].contains($0.name.text) }) {
            return diagnose(modifier, .shortStatic(attribute.kind.rawValue))
        }
        if let generics = function.genericParameterClause { return diagnose(generics, .shortGeneric) }
        let name = function.name.text.withoutBackticks
        if !MacroWireName.isMember(name) { diagnose(function.name, .invalidMemberName(name)) }
        let effects = function.signature.effectSpecifiers
        let isAsync = effects?.asyncSpecifier != nil
        if attribute.kind == .input {
            if let async = effects?.asyncSpecifier { return diagnose(async, .asyncInput(name)) }
            if let result = function.signature.returnClause, !result.type.isVoid {
                return diagnose(result.type, .inputWithResult(name))
            }
            if let failures = effects?.throwsClause?.declaredFailures {
                return diagnose(function.name, .inputWithFailures(name, failures))
            }
        }
        var parameters = Array(function.signature.parameterClause.parameters)
        let hasExecution = parameters.last?.type.name == "Execution"
        if hasExecution, !isAsync { return diagnose(parameters[parameters.count - 1], .executionWithoutAsync(name)) }
        let execution = hasExecution ? parameters.removeLast() : nil
        guard parametersAreValid(parameters) else { return }
        if parameters.count == 1, let parameter = parameters.first, let value = parameter.defaultValue,
            parameter.firstName.tokenKind == .wildcard
        {
            return diagnose(value, .valueWithDefault)
        }
        let id: FunctionParameterSyntax?
        if let expression = attribute.id {
            guard let found = identity(expression, among: parameters, policy: attribute.policy, isAsync, name) else {
                return
            }
            id = found
        } else {
            id = nil
        }
        if let runs = attribute.runs, !parameters.isEmpty { return diagnose(runs, .runsWithParameters) }
        let call = ShortCall(function, parameters, execution)
        let group: MemberGroup = attribute.kind == .input ? .inputs : .actions
        let result = function.signature.returnClause?.type.trimmedDescription ?? "Void"
        let type = id.map { "ListedAction<\(call.parameterType), \(result), \($0.type.trimmed)>" }
        members.append(
            ShortMember(
                member: GroupMember(
                    group: group,
                    identifier: function.name,
                    description: DocComment(before: function, function.modifiers.first?.name ?? function.funcKeyword)
                        .text,
                    policy: attribute.policy,
                    failures: group == .actions
                        ? function.attributes.failures ?? effects?.throwsClause?.declaredFailures : nil,
                    isListed: id != nil,
                    arguments: group == .inputs ? [call.parameterType] : [call.parameterType, result]
                ),
                access: function.modifiers.memberAccess,
                type: group == .inputs
                    ? "Input<\(call.parameterType)>" : type ?? "Action<\(call.parameterType), \(result)>",
                value: group == .inputs
                    ? "ViewModelKit.Input \(call.closure)"
                    : "ViewModelKit.\(id == nil ? "Action" : "ListedAction")"
                        + "\(attribute.initializerArguments(id: id.map { call.member(of: $0) })) \(call.closure)",
                parameters: call.structure
            )
        )
    }
}

extension ShortFormReader {
    /// Reports parameters that clients cannot send, and returns whether there are none.
    private mutating func parametersAreValid(_ parameters: [FunctionParameterSyntax]) -> Bool {
        for (index, parameter) in parameters.enumerated() {
            let name = parameter.memberName
            if let diagnostic = parameter.ellipsis == nil ? parameter.type.refusal : .specialType {
                diagnose(parameter.type, diagnostic)
            } else if name == "_meta" || name == "_", parameters.count > 1 || parameter.firstName.tokenKind != .wildcard
            {
                diagnose(parameter.firstName, .parameterName(name))
            } else if parameters[..<index].contains(where: { $0.memberName == name }) {
                diagnose(parameter.firstName, .sameParameter(name))
            } else {
                continue
            }
            return false
        }
        return true
    }

    /// Returns the parameter that identifies an execution, or reports why there is none.
    private mutating func identity(
        _ expression: ExprSyntax,
        among parameters: [FunctionParameterSyntax],
        policy: String?,
        _ isAsync: Bool,
        _ function: String
    ) -> FunctionParameterSyntax? {
        guard MemberGroup.listedPolicies.contains(policy.baseOfPolicy) else {
            diagnose(expression, .listedPolicy("@Action"))
            return nil
        }
        guard isAsync else {
            diagnose(expression, .listedWithoutAsync(function))
            return nil
        }
        let name = expression.as(StringLiteralExprSyntax.self)?.plainText
        let names = parameters.map(\.memberName)
        guard let name, let index = names.firstIndex(of: name) else {
            diagnose(expression, .unknownID(names))
            return nil
        }
        if let value = parameters[index].defaultValue {
            diagnose(value, .idWithDefault)
            return nil
        }
        return parameters[index]
    }
}

/// A member of a ViewModel in the short form.
struct ShortMember {
    /// The member of the group, for the contract.
    let member: GroupMember
    /// The access level of the member in its group and a space, or an empty string.
    let access: String
    /// The source text of the type of the group's member.
    let type: String
    /// The source text of the group's member, which is created in a function of the class.
    let value: String
    /// The source text of a struct for several parameters.
    var parameters: String?
}

/// The call of a function of the short form.
private struct ShortCall {
    /// The source text of the type of the params.
    let parameterType: String
    /// The source text of a struct for several parameters.
    let structure: String?
    /// The source text of the closure that calls the function.
    let closure: String

    init(_ function: FunctionDeclSyntax, _ parameters: [FunctionParameterSyntax], _ execution: FunctionParameterSyntax?)
    {
        let effects = function.signature.effectSpecifiers
        let keywords = (effects?.throwsClause == nil ? "" : "try ") + (effects?.asyncSpecifier == nil ? "" : "await ")
        var arguments: [String]
        if parameters.isEmpty {
            parameterType = "Void"
            structure = nil
            arguments = []
        } else if parameters.count == 1, parameters[0].firstName.tokenKind == .wildcard {
            parameterType = parameters[0].type.trimmedDescription
            structure = nil
            arguments = ["parameters"]
        } else {
            let name = function.name.text.withoutBackticks
            let typeName = name.prefix(1).uppercased() + name.dropFirst() + "Parameters"
            parameterType = typeName
            structure = Self.structure(typeName, parameters, access: function.modifiers.memberAccess)
            arguments = parameters.map { $0.argument("parameters.\($0.memberName)\($0.fallback)") }
        }
        if let execution { arguments.append(execution.argument("execution")) }
        let call = "\(keywords)self.\(function.name.text)(\(arguments.joined(separator: ", ")))"
        // An async closure with a capture list would leave the session in Swift 6.3. The end of the instance releases it.
        let captures = effects?.asyncSpecifier == nil ? "[unowned self] " : ""
        switch (parameters.isEmpty, execution == nil) {
        case (true, true): closure = captures.isEmpty ? "{ \(call) }" : "{ \(captures)in \(call) }"
        case (true, false): closure = "{ (execution: ViewModelKit.Execution) in \(call) }"
        case (false, true): closure = "{ \(captures)parameters in \(call) }"
        case (false, false): closure = "{ parameters, execution in \(call) }"
        }
    }

    /// Returns the source text of a key path from the params to a parameter.
    func member(of parameter: FunctionParameterSyntax) -> String {
        structure == nil ? "\\.self" : "\\.\(parameter.memberName)"
    }

    /// Returns the source text of a struct with a property for each parameter.
    ///
    /// It is written without `@Schemable`, because Swift does not synthesise the coding of a type from an expansion.
    private static func structure(_ name: String, _ parameters: [FunctionParameterSyntax], access: String) -> String {
        let properties = parameters.map { "    \(access)let \($0.memberName.asIdentifier): \($0.memberType)" }
        let entries = parameters.map { parameter in
            let property = SchemaReader.Property(name: parameter.memberName, type: parameter.memberType)
            return "            \(property.entry(parameter.memberName.asLiteral)),"
        }
        return """
            \(access)struct \(name): ViewModelKit.Schemable {
            \(properties.joined(separator: "\n"))
                \(access)static var schema: ViewModelKit.Schema {
                    .object([
            \(entries.joined(separator: "\n"))
                    ])
                }
            }
            """
    }
}

extension FunctionParameterSyntax {
    /// The name of the parameter in the params.
    fileprivate var memberName: String {
        (firstName.tokenKind == .wildcard ? secondName ?? firstName : firstName).text.withoutBackticks
    }

    /// The type of the member, which may be left out if the parameter has a default value.
    fileprivate var memberType: TypeSyntax {
        let isOptional = type.is(OptionalTypeSyntax.self) || type.name == "Optional"
        return isOptional || defaultValue == nil ? type.trimmed : "\(type.trimmed)?"
    }

    /// The source text that replaces a member that was left out or is null.
    fileprivate var fallback: String {
        guard let value = defaultValue?.value, !value.is(NilLiteralExprSyntax.self) else { return "" }
        return " ?? (\(value.trimmedDescription))"
    }

    /// Returns the argument of a call.
    fileprivate func argument(_ value: String) -> String {
        firstName.tokenKind == .wildcard ? value : "\(firstName.text.withoutBackticks): \(value)"
    }
}

extension TypeSyntax {
    /// Whether the type is `Void`.
    fileprivate var isVoid: Bool { trimmedDescription.isVoidType }

    /// The type of the rows if the type is `Rows<Row>` or `ListCell<Row>`.
    var rowType: String? {
        ["Rows", "ListCell"].contains(name) ? arguments.first : nil
    }

    /// The type of the elements if the type is `[Element]` or `Array<Element>`.
    fileprivate var elementType: String? {
        self.as(ArrayTypeSyntax.self)?.element.trimmedDescription ?? (name == "Array" ? arguments.first : nil)
    }

    /// The reason for which no value of the type can be sent, as far as the syntax shows it.
    fileprivate var refusal: ViewModelDiagnostic? {
        if isTuple { return .tupleParameter }
        let isSpecial =
            self.is(AttributedTypeSyntax.self) || self.is(FunctionTypeSyntax.self)
            || self.is(ImplicitlyUnwrappedOptionalTypeSyntax.self)
            || self.as(SomeOrAnyTypeSyntax.self)?.someOrAnySpecifier.text == "some"
        return isSpecial ? .specialType : nil
    }
}

extension ExprSyntax {
    /// The source text of the type if the expression is an initialiser, such as `Row.init` or `Row.init(episode:)`.
    fileprivate var initialisedType: String? {
        guard let member = self.as(MemberAccessExprSyntax.self), member.declName.baseName.tokenKind == .keyword(.`init`)
        else { return nil }
        return member.base?.trimmedDescription
    }
}

extension DeclModifierListSyntax {
    /// The access level of what a macro writes: `public ` or `package `, or an empty string.
    var memberAccess: String {
        first { $0.detail == nil && ["public", "package"].contains($0.name.text) }.map { "\($0.name.text) " } ?? ""
    }
}

extension ThrowsClauseSyntax {
    /// The source text of the error type, unless it is one without declared failures.
    fileprivate var declaredFailures: String? {
        let undeclared = ["ActionFailure", "InvalidValue", "LimitExceeded", "CancellationError", "Never", "Error"]
        guard let type, !type.is(SomeOrAnyTypeSyntax.self), !undeclared.contains(type.name ?? "") else { return nil }
        return type.trimmedDescription
    }
}

// MARK: - Attributes

/// An attribute of the short form.
struct ShortAttribute {
    /// The attributes by their names.
    enum Kind: String, CaseIterable {
        case field = "Field"
        case output = "Output"
        case rows = "Rows"
        case event = "Event"
        case child = "Child"
        case input = "Input"
        case action = "Action"

        /// Whether the attribute is written on a function.
        var isOfFunctions: Bool { self == .input || self == .action }
    }

    let kind: Kind
    private let arguments: LabeledExprListSyntax?

    init?(_ attribute: AttributeSyntax) {
        guard let name = attribute.attributeName.name, let kind = Kind(rawValue: name) else { return nil }
        self.kind = kind
        if case .argumentList(let arguments) = attribute.arguments {
            self.arguments = arguments
        } else {
            arguments = nil
        }
    }

    /// The source text of an action's policy.
    var policy: String? { arguments?.first { $0.label == nil }?.expression.trimmedDescription }

    /// The source text of a further argument for the check of a field.
    var check: String {
        argument("check").map { ", check: \($0.trimmedDescription)" } ?? ""
    }

    /// The interval of an output whose value changes with time.
    var interval: ExprSyntax? { argument("every") }

    /// The source text of the arguments for an output whose value changes with time, or an empty string.
    var sampling: String {
        guard let interval else { return "" }
        let condition = argument("while")?.trimmedDescription
        let gate = condition.map { ", while: ViewModelKit.Derived(of: self, \($0))" } ?? ""
        return "(every: \(interval.trimmed)\(gate))"
    }

    /// The initialiser that makes a shown row of a source row.
    var row: ExprSyntax? { argument("of") }

    /// The name of the parameter that identifies an execution.
    var id: ExprSyntax? { argument("id").flatMap { $0.is(NilLiteralExprSyntax.self) ? nil : $0 } }

    /// The argument that says when an action runs by itself.
    var runs: ExprSyntax? { argument("runs") }

    /// Returns the source text of the arguments of an action's initialiser, with their parentheses.
    ///
    /// - Parameter id: the source text of the key path from the params to the id of an execution.
    /// - Returns: the source text.
    func initializerArguments(id: String?) -> String {
        let gate = argument("enabled").map { "enabled: ViewModelKit.Derived(of: self, \($0.trimmedDescription))" }
        let all = [id.map { "id: \($0)" }, gate, runs.map { "runs: \($0.trimmedDescription)" }].compactMap(\.self)
        return all.isEmpty ? "" : "(\(all.joined(separator: ", ")))"
    }

    private func argument(_ label: String) -> ExprSyntax? {
        arguments?.first { $0.label?.text == label }?.expression
    }
}

extension IfConfigDeclSyntax {
    /// Whether a branch has a member with an attribute of the short form.
    fileprivate var hasShortMembers: Bool {
        clauses.contains { clause in
            guard case .decls(let items) = clause.elements else { return false }
            return items.contains { item in
                item.decl.shortAttribute != nil || item.decl.as(IfConfigDeclSyntax.self)?.hasShortMembers == true
            }
        }
    }
}

extension DeclSyntax {
    /// The attribute of the short form that the declaration has.
    var shortAttribute: ShortAttribute? {
        let attributes = self.as(VariableDeclSyntax.self)?.attributes ?? self.as(FunctionDeclSyntax.self)?.attributes
        for case .attribute(let attribute) in attributes ?? [] {
            if let found = ShortAttribute(attribute) { return found }
        }
        return nil
    }
}
