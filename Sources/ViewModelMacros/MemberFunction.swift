import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

/// A function with the attribute `@Input` or `@Action`.
struct MemberFunction {
    private let function: FunctionDeclSyntax
    private let attribute: MemberAttribute
    /// The parameters that clients send.
    private let parameters: [FunctionParameterSyntax]
    /// The last parameter if it is the execution.
    private let execution: FunctionParameterSyntax?
    private let outputs: ComputedOutputs

    init(_ function: FunctionDeclSyntax, _ attribute: MemberAttribute, _ outputs: ComputedOutputs) {
        self.function = function
        self.attribute = attribute
        self.outputs = outputs
        var parameters = Array(function.signature.parameterClause.parameters)
        execution = parameters.last?.type.name == "Execution" ? parameters.removeLast() : nil
        self.parameters = parameters
    }

    private var name: String { function.name.text.withoutBackticks }
    private var isInput: Bool { attribute.kind == .input }
    /// Whether only the ViewModel itself runs the action.
    private var isOwn: Bool { function.modifiers.privateModifier != nil }
    private var policy: String? { attribute.node.argument()?.trimmedDescription }
    private var isAsync: Bool { function.signature.effectSpecifiers?.asyncSpecifier != nil }
    /// Whether the only parameter is the value itself.
    private var isValue: Bool { parameters.count == 1 && parameters[0].firstName.tokenKind == .wildcard }
    private var throwsClause: ThrowsClauseSyntax? { function.signature.effectSpecifiers?.throwsClause }

    /// The parameter that identifies an execution.
    private var id: FunctionParameterSyntax? {
        let name = attribute.node.argument("id")?.as(StringLiteralExprSyntax.self)?.plainText
        return parameters.first { $0.nameInParams == name }
    }

    var member: Member {
        let results = isInput ? [] : [function.signature.returnClause?.type.trimmedDescription ?? "Void"]
        let ids = [id?.type.trimmedDescription].compactMap(\.self)
        let structure = parameters.isEmpty || isValue ? nil : structure
        let written = function.attributes.failures
        let thrown = written.isEmpty && !isInput && !isOwn ? throwsClause?.declaredFailures : nil
        let failures = isInput ? [] : written + [thrown].compactMap(\.self)
        let checked = failures.map { CheckedType(requirement: .declaresFailures, type: $0) }
        let type = isInput ? "Input" : id == nil ? "Action" : "ListedAction"
        // A key path from the params to the id of an execution.
        let key = id.map { isValue ? "id: \\.self" : "id: \\.\($0.nameInParams)" }
        let gate = attribute.condition.map { "enabled: \(outputs.condition($0))" }
        let options = attribute.list(key, gate, attribute.runs(outputs.condition))
        return Member(
            group: isInput ? .inputs : isOwn ? .ownActions : .actions,
            identifier: function.name,
            description: comment.text,
            type: type,
            arguments: [parameterType] + results + ids,
            checkedTypes: isOwn
                ? []
                : CheckedType.seen(parameters.map(\.type.trimmedDescription) + results) + checked,
            policy: policy,
            failures: failures,
            bounds: structure == nil ? function.attributes.bounds() : nil,
            parts: Member.Parts(
                access: function.modifiers.memberAccess,
                value: "ViewModelKit.\(type)\(options) \(closure)",
                parameters: structure
            )
        )
    }

    /// The doc comment without the texts of parameters that describe the members of the params.
    ///
    /// The text of a value without a name stays in the comment, which is the only description of the value.
    private var comment: DocComment {
        let described = (isValue ? [] : parameters) + [execution].compactMap(\.self)
        return DocComment(of: function, parameters: Set(described.map(\.nameInFunction)))
    }
}

// MARK: - Mistakes

extension MemberFunction {
    var mistake: Diagnostic? {
        if let mistake = mistakeOfInput { return mistake }
        if let early = parameters.first(where: { $0.type.name == "Execution" }) {
            return Diagnostic(early, .executionNotLast, name)
        }
        if let execution, !isAsync { return Diagnostic(execution, .executionWithoutAsync, name) }
        if let mistake = mistakeInParameters ?? mistakeInID { return mistake }
        if !isOwn, let result = function.signature.returnClause?.type, let refusal = result.refusal {
            return Diagnostic(result, refusal == .tupleParameter ? .tupleArgument : refusal)
        }
        let limit = attribute.limit
        if let limit, Int(limit.trimmedDescription).map({ $0 < 1 }) == true { return Diagnostic(limit, .limit) }
        guard let runs = attribute.node.argument("runs") else { return nil }
        if !parameters.isEmpty { return Diagnostic(runs, .runsWithParameters) }
        let loses = ["exclusive", "shared"].contains(MemberGroup.name(of: policy))
        return isAsync && loses && attribute.reacts ? Diagnostic(runs, .lostChange) : nil
    }

    private var mistakeOfInput: Diagnostic? {
        guard isInput else { return nil }
        if let async = function.signature.effectSpecifiers?.asyncSpecifier {
            return Diagnostic(async, .asyncInput, name)
        }
        if let type = function.signature.returnClause?.type, !type.trimmedDescription.isVoidType {
            return Diagnostic(type, .inputWithResult, name)
        }
        return throwsClause?.declaredFailures.map { Diagnostic(function.name, .inputWithFailures, name, $0) }
    }

    private var mistakeInParameters: Diagnostic? {
        for (index, parameter) in parameters.enumerated() {
            let name = parameter.nameInParams
            if let refusal = parameter.ellipsis == nil ? parameter.type.refusal : .specialType {
                return Diagnostic(parameter.type, refusal)
            }
            if !isValue, ["_meta", "_"].contains(name) { return Diagnostic(parameter.firstName, .parameterName, name) }
            if parameters[..<index].contains(where: { $0.nameInParams == name }) {
                return Diagnostic(parameter.firstName, .sameParameter, name)
            }
        }
        return isValue ? parameters[0].defaultValue.map { Diagnostic($0, .valueWithDefault) } : nil
    }

    private var mistakeInID: Diagnostic? {
        guard let expression = attribute.node.argument("id") else { return nil }
        guard MemberGroup.listsExecutions(policy) else {
            return Diagnostic(expression, .listedPolicy, "@Action")
        }
        guard isAsync else { return Diagnostic(expression, .listedWithoutAsync, name) }
        guard let id else {
            let names = parameters.map { "`id: \($0.nameInParams.asLiteral)`" }
            let remedy = names.isEmpty ? "add one" : "write \(names.joined(separator: " or "))"
            return Diagnostic(expression, .unknownID, remedy)
        }
        return id.defaultValue.map { Diagnostic($0, .idWithDefault) }
    }
}

// MARK: - Source texts

extension MemberFunction {
    /// The source text of the type of the params.
    private var parameterType: String {
        if parameters.isEmpty { return "Void" }
        if isValue { return parameters[0].type.trimmedDescription }
        return name.prefix(1).uppercased() + name.dropFirst() + "Parameters"
    }

    /// The source text of the closure that calls the function.
    private var closure: String {
        let keywords = (throwsClause == nil ? "" : "try ") + (isAsync ? "await " : "")
        var arguments = parameters.map { parameter in
            parameter.argument(isValue ? "parameters" : "parameters.\(parameter.nameInParams)\(parameter.fallback)")
        }
        if let execution { arguments.append(execution.argument("execution")) }
        let call = "\(keywords)self.\(function.name.text)(\(arguments.joined(separator: ", ")))"
        // An async closure with a capture list would leave the session in Swift 6.3. The end of the instance releases it.
        let captures = isAsync ? "" : "[unowned self] "
        return switch (parameters.isEmpty, execution == nil) {
        case (true, true): isAsync ? "{ \(call) }" : "{ \(captures)in \(call) }"
        case (true, false): "{ (execution: ViewModelKit.Execution) in \(call) }"
        case (false, true): "{ \(captures)parameters in \(call) }"
        case (false, false): "{ parameters, execution in \(call) }"
        }
    }

    /// The source text of a struct with a property for each parameter.
    ///
    /// It is written without `@Schemable`, because Swift does not synthesise the coding of a type from an expansion.
    private var structure: String {
        let access = function.modifiers.memberAccess
        let properties = parameters.map { "    \(access)let \($0.nameInParams.asIdentifier): \($0.memberType)" }
        if isOwn { return "struct \(parameterType) {\n\(properties.joined(separator: "\n"))\n}" }
        let texts = comment.parameters
        let entries = parameters.map { parameter in
            let name = parameter.nameInParams
            let property = SchemaReader.Property(
                name: name,
                type: parameter.memberType,
                description: texts[parameter.nameInFunction] ?? "",
                bounds: function.attributes.bounds(of: name)
            )
            return "            \(property.entry(name.asLiteral)),"
        }
        return """
            \(access)struct \(parameterType): ViewModelKit.Schemable {
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
    var nameInParams: String {
        (firstName.tokenKind == .wildcard ? secondName ?? firstName : firstName).text.withoutBackticks
    }

    /// The name inside of the function, which doc comments use.
    fileprivate var nameInFunction: String { (secondName ?? firstName).text.withoutBackticks }

    /// The type of the member, which may be left out if the parameter has a default value.
    fileprivate var memberType: TypeSyntax {
        type.isOptional || defaultValue == nil ? type.trimmed : "\(type.trimmed)?"
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
