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
        let seen = attribute.row?.initialisedType ?? type.rowType ?? type.eventType ?? type.trimmedDescription
        func member(_ group: MemberGroup, _ type: String, _ value: String) -> ShortMember {
            ShortMember(
                member: GroupMember(
                    group: group,
                    identifier: identifier,
                    description: description,
                    isVolatile: group == .outputs && (attribute.interval != nil || variable.attributes.isVolatile),
                    bounds: group == .inputs ? variable.attributes.bounds() : nil,
                    // An input of the same name has the same type.
                    checkedTypes: group == .outputs ? [seen] : []
                ),
                access: variable.modifiers.memberAccess,
                type: type,
                value: value,
                object: group == .outputs && !binding.isComputed ? "$\(name)" : nil
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
        case .event where binding.isComputed:
            guard let value = type.eventType else { return diagnose(identifier, .computedEvent(name)) }
            members.append(member(.outputs, "Event<\(value)>", "self.\(identifier.text)"))
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
        if let early = parameters.dropLast().first(where: { $0.type.name == "Execution" }) {
            return diagnose(early, .executionNotLast(name))
        }
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
        let comment = DocComment(of: function, parameters, execution)
        let call = ShortCall(function, parameters, execution, comment.parameters)
        let group: MemberGroup = attribute.kind == .input ? .inputs : .actions
        let result = function.signature.returnClause?.type.trimmedDescription ?? "Void"
        let type = id.map { "ListedAction<\(call.parameterType), \(result), \($0.type.trimmed)>" }
        members.append(
            ShortMember(
                member: GroupMember(
                    group: group,
                    identifier: function.name,
                    description: comment.text,
                    policy: attribute.policy,
                    failures: group == .actions
                        ? function.attributes.failures ?? effects?.throwsClause?.declaredFailures : nil,
                    isListed: id != nil,
                    bounds: call.structure == nil ? function.attributes.bounds() : nil,
                    arguments: group == .inputs ? [call.parameterType] : [call.parameterType, result],
                    checkedTypes: parameters.map(\.type.trimmedDescription) + (group == .inputs ? [] : [result]),
                    declaresOwnFailures: function.attributes.failures == nil
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
            let name = parameter.nameInParams
            if let diagnostic = parameter.ellipsis == nil ? parameter.type.refusal : .specialType {
                diagnose(parameter.type, diagnostic)
            } else if name == "_meta" || name == "_", parameters.count > 1 || parameter.firstName.tokenKind != .wildcard
            {
                diagnose(parameter.firstName, .parameterName(name))
            } else if parameters[..<index].contains(where: { $0.nameInParams == name }) {
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
        let names = parameters.map(\.nameInParams)
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
    /// The source text of the object behind an output that the class writes or sends.
    var object: String?
    /// The source text of a struct for several parameters.
    var parameters: String?
}

extension TypeSyntax {
    /// Whether the type is `Void`.
    fileprivate var isVoid: Bool { trimmedDescription.isVoidType }

    /// The type of the rows if the type is `Rows<Row>` or `ListCell<Row>`.
    var rowType: String? {
        ["Rows", "ListCell"].contains(name) ? arguments.first : nil
    }

    /// The type of the values if the type is `Event<Value>`.
    fileprivate var eventType: String? { name == "Event" ? arguments.first : nil }

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
