import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

/// A reader of the members of a ViewModel in both spellings.
///
/// A member is a property or a function with an attribute, or a constant of a group that the author has written.
struct MemberReader {
    private(set) var members: [Member] = []
    private(set) var diagnostics: [Diagnostic] = []
    private let outputs: ComputedOutputs

    /// Reads those of the declarations that have an attribute.
    init(_ declarations: some Sequence<DeclSyntax>, _ outputs: ComputedOutputs) {
        self.outputs = outputs
        for declaration in declarations {
            if let conditional = declaration.as(IfConfigDeclSyntax.self), conditional.hasMembers {
                diagnostics.report(conditional, .conditional, "@ViewModel", "the members of the contract", "")
            }
            guard let attribute = declaration.memberAttribute else { continue }
            let (variable, function) = (
                declaration.as(VariableDeclSyntax.self), declaration.as(FunctionDeclSyntax.self)
            )
            let name = attribute.kind.rawValue
            if let node = attribute.kind.isOfFunctions ? variable?.bindingSpecifier : function?.name {
                diagnostics.append(.misplaced(name, at: node))
            } else if let modifier = variable?.modifiers.staticModifier ?? function?.modifiers.staticModifier {
                diagnostics.report(modifier, .attributeOfType, name)
            } else if attribute.kind != .action,
                let modifier = variable?.modifiers.privateModifier ?? function?.modifiers.privateModifier
            {
                diagnostics.report(modifier, .privateMember, name)
            } else if let variable {
                read(variable, attribute)
            } else if let function {
                read(function, attribute)
            }
        }
    }

    /// Reads the constants of a group.
    init(_ group: MemberGroup, _ declaration: StructDeclSyntax) {
        outputs = ComputedOutputs()
        let items = declaration.memberBlock.members.map(\.decl)
        let hasOwnTypes = items.contains { item in
            item.is(TypeAliasDeclSyntax.self) || item.asProtocol((any DeclGroupSyntax).self) != nil
        }
        for item in items {
            if let variable = item.as(VariableDeclSyntax.self) {
                // Code outside of the group names the group's own types differently.
                read(variable, of: group, checksTypes: !hasOwnTypes && ![.children, .ownActions].contains(group))
            } else if item.is(IfConfigDeclSyntax.self) {
                diagnostics.report(item, .conditional, "@ViewModel", "the members of `\(group.typeName)`", "")
            } else if item.is(FunctionDeclSyntax.self) || item.is(SubscriptDeclSyntax.self) {
                diagnostics.report(item, .notAMember, group.typeName, group.memberTypesInWords)
            }
        }
    }

    /// Reports a name that is not one of the wire.
    private mutating func check(_ identifier: TokenSyntax) {
        let name = identifier.text.withoutBackticks
        if name.wholeMatch(of: /[a-z][A-Za-z0-9]*/) == nil { diagnostics.report(identifier, .invalidMemberName, name) }
    }

    // MARK: Constants of a group

    private mutating func read(_ variable: VariableDeclSyntax, of group: MemberGroup, checksTypes: Bool) {
        let attributes = variable.attributes
        if let modifier = variable.modifiers.staticModifier {
            return diagnostics.report(modifier, .memberStatic, group.typeName)
        }
        if let modifier = variable.modifiers.first(where: { $0.name.text == "private" && $0.detail == nil }) {
            diagnostics.report(modifier, .memberPrivate, group.typeName)
        }
        let names = variable.bindings.map(\.pattern.trimmedDescription)
        if let computed = variable.bindings.first(where: \.isComputed) {
            return diagnostics.report(computed, .memberComputed, group.typeName, names[0])
        }
        let specifier = variable.bindingSpecifier
        if specifier.tokenKind != .keyword(.let) {
            let names = names.joined(separator: ", ")
            diagnostics.report(specifier, .memberNotLet, names, fix: .replacing(specifier, with: .keyword(.let)))
        }
        for binding in variable.bindings {
            guard let identifier = binding.identifier else {
                diagnostics.report(binding.pattern, .pattern, "member of `\(group.typeName)`", "let")
                continue
            }
            check(identifier)
            let (type, value) = (binding.type(in: variable.bindings), binding.initializer?.value)
            let arguments = type?.arguments ?? value?.specialization ?? []
            let member = Member(
                group: group,
                identifier: identifier,
                description: DocComment(of: variable).text,
                type: type?.name ?? value?.as(FunctionCallExprSyntax.self)?.calledName ?? "",
                arguments: arguments,
                checkedTypes: checksTypes ? CheckedType.seen(type?.arguments ?? []) : [],
                policy: attributes.attribute("Policy")?.argument()?.trimmedDescription,
                failures: attributes.failures,
                isVolatile: attributes.has("Volatile"),
                bounds: group == .inputs || group == .actions ? attributes.bounds() : nil
            )
            checkType(of: member, type, value)
            members.append(member)
        }
    }

    /// Reports a type that the group does not allow, as far as the syntax shows the type.
    private mutating func checkType(of member: Member, _ type: TypeSyntax?, _ value: ExprSyntax?) {
        if member.type == "ListedAction", !MemberGroup.listsExecutions(member.policy) {
            diagnostics.report(member.identifier, .listedPolicy, "@Policy")
        }
        let group = member.group
        let isOther = group.memberTypes.map { allowed in
            type.map { !allowed.contains($0.name ?? "") } ?? (value?.makes(oneOf: allowed) == false)
        }
        if isOther == true, let node = type.map(Syntax.init) ?? value.map(Syntax.init) {
            let examples = group.memberExamples(member.identifier.text)
            diagnostics.report(node, .memberOfOtherType, group.typeName, group.memberTypesInWords, examples)
        }
        for argument in type?.argumentTypes ?? [] where argument.isTuple {
            diagnostics.report(argument, .tupleArgument)
        }
    }

    // MARK: Properties with an attribute

    private mutating func read(_ variable: VariableDeclSyntax, _ attribute: MemberAttribute) {
        guard variable.bindings.count == 1, let binding = variable.bindings.first, let identifier = binding.identifier
        else { return diagnostics.report(variable.bindings, .pattern, "member", "var") }
        check(identifier)
        let name = identifier.text.withoutBackticks
        let value = binding.initializer?.value
        let made = attribute.kind == .child ? value?.madeType : value?.literalType
        guard let type = binding.typeAnnotation?.type.trimmed ?? made else {
            return diagnostics.report(identifier, .memberWithoutType, name, variable.bindingSpecifier.text)
        }
        if attribute.kind == .child, let written = binding.typeAnnotation?.type,
            written.elementType != nil || written.isOptional
        {
            return diagnostics.report(written, .severalChildren, name)
        }
        if let written = binding.typeAnnotation?.type, let refusal = written.refusal {
            return diagnostics.report(written, refusal)
        }
        let isComputed = binding.isComputed
        if let effects = binding.getterEffects { return diagnostics.report(effects, .suspendingOutput, name) }
        func add(_ memberType: String, of argument: String?, _ value: String, to group: MemberGroup = .outputs) {
            // An input of the same name has the same type.
            let checked = group == .outputs ? [argument].compactMap(\.self) : []
            let member = Member(
                group: group,
                identifier: identifier,
                description: DocComment(of: variable).text,
                type: memberType,
                arguments: argument.map { [$0] } ?? [],
                checkedTypes: CheckedType.seen(checked)
                    + (memberType == "Output" ? CheckedType.seen(checked, .clientsFollow) : []),
                isVolatile: group == .outputs && (attribute.isSampled || variable.attributes.has("Volatile")),
                bounds: group == .inputs ? variable.attributes.bounds() : nil,
                parts: Member.Parts(
                    access: variable.modifiers.memberAccess,
                    value: value,
                    object: group == .outputs && !isComputed ? "$\(name)" : nil
                )
            )
            members.append(member)
        }
        let property = "self.\(identifier.text)"
        /// The source text of the signal that is shared, or of the closure that computes the value.
        let computation = outputs.signal(of: name).map { "(\($0))" } ?? " \(outputs.computation(of: name))"
        let isShared = outputs.signal(of: name) != nil
        func named(_ value: String) -> String { isShared ? value : outputs.named(name, value) }
        switch attribute.kind {
        case .field where isComputed: diagnostics.report(identifier, .computedField, name)
        case .field where type.rowType != nil: diagnostics.report(identifier, .listAsField, name)
        case .field:
            let text = type.description
            let arguments = attribute.list("assigningTo: $\(name)", attribute.argument("check"))
            add("Input", of: text, "ViewModelKit.Input\(arguments)", to: .inputs)
            add("Output", of: text, "ViewModelKit.Output($\(name))")
        case .output where attribute.isSampled && !isComputed: diagnostics.report(identifier, .storedSample, name)
        case .output:
            if let row = type.rowType {
                add("ListOutput", of: row, "ViewModelKit.ListOutput(\(isComputed ? property : "$\(name)"))")
            } else {
                let sampling = isShared ? "" : attribute.sampling(outputs)
                let value =
                    isComputed ? named("ViewModelKit.Output\(sampling)\(computation)") : "ViewModelKit.Output($\(name))"
                add("Output", of: type.description, value)
            }
        case .rows:
            guard isComputed, let source = type.elementType else {
                return diagnostics.report(identifier, .storedRows, name)
            }
            guard let maker = attribute.node.argument("of") else {
                return add("ListOutput", of: source, named("ViewModelKit.ListOutput\(computation)"))
            }
            guard let row = maker.initialisedType else { return diagnostics.report(maker, .rowWithoutType) }
            let signal = outputs.signal(of: name).map { "(\($0), row: \(maker.trimmed))" }
            let own = "(row: \(maker.trimmed))\(computation)"
            add("ListOutput", of: row, named("ViewModelKit.ListOutput\(signal ?? own)"))
        case .event:
            guard let value = isComputed ? type.eventType : type.description else {
                return diagnostics.report(identifier, .computedEvent, name)
            }
            add("Event", of: value, isComputed ? property : "$\(name)")
        case .child:
            let specifier = variable.bindingSpecifier
            if specifier.tokenKind != .keyword(.let) {
                diagnostics.report(specifier, .childNotLet, name, fix: .replacing(specifier, with: .keyword(.let)))
            }
            add(type.description, of: nil, identifier.text, to: .children)
        case .input, .action: break
        }
    }

    // MARK: Functions with an attribute

    private mutating func read(_ function: FunctionDeclSyntax, _ attribute: MemberAttribute) {
        if let generics = function.genericParameterClause { return diagnostics.report(generics, .genericMember) }
        if function.modifiers.privateModifier == nil { check(function.name) }
        let called = MemberFunction(function, attribute, outputs)
        if let mistake = called.mistake { return diagnostics.append(mistake) }
        members.append(called.member)
    }
}
