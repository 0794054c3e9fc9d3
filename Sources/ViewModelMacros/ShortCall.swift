import SwiftSyntax
import SwiftSyntaxBuilder

/// The call of a function of the short form.
struct ShortCall {
    /// The source text of the type of the params.
    let parameterType: String
    /// The source text of a struct for several parameters.
    let structure: String?
    /// The source text of the closure that calls the function.
    let closure: String

    /// Creates the call; `texts` are the descriptions of parameters by their names in the function.
    init(
        _ function: FunctionDeclSyntax,
        _ parameters: [FunctionParameterSyntax],
        _ execution: FunctionParameterSyntax?,
        _ texts: [String: String]
    ) {
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
            structure = Self.structure(
                typeName,
                parameters,
                texts,
                function.attributes,
                access: function.modifiers.memberAccess
            )
            arguments = parameters.map { $0.argument("parameters.\($0.nameInParams)\($0.fallback)") }
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
        structure == nil ? "\\.self" : "\\.\(parameter.nameInParams)"
    }

    /// Returns the source text of a struct with a property for each parameter.
    ///
    /// It is written without `@Schemable`, because Swift does not synthesise the coding of a type from an expansion.
    private static func structure(
        _ name: String,
        _ parameters: [FunctionParameterSyntax],
        _ texts: [String: String],
        _ attributes: AttributeListSyntax,
        access: String
    ) -> String {
        let properties = parameters.map { "    \(access)let \($0.nameInParams.asIdentifier): \($0.memberType)" }
        let entries = parameters.map { parameter in
            let name = parameter.nameInParams
            let property = SchemaReader.Property(
                name: name,
                type: parameter.memberType,
                description: texts[parameter.nameInFunction] ?? "",
                bounds: attributes.bounds(of: name)
            )
            return "            \(property.entry(name.asLiteral)),"
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

extension DocComment {
    /// Reads the comment of a function of the short form.
    ///
    /// The texts of parameters are those of the members of the params. The text of a value without a name stays in the
    /// comment, which is the only description of the value.
    init(
        of function: FunctionDeclSyntax,
        _ parameters: [FunctionParameterSyntax],
        _ execution: FunctionParameterSyntax?
    ) {
        let isValue = parameters.count == 1 && parameters[0].firstName.tokenKind == .wildcard
        let described = (isValue ? [] : parameters) + [execution].compactMap(\.self)
        self.init(
            before: function,
            function.modifiers.first?.name ?? function.funcKeyword,
            parameters: Set(described.map(\.nameInFunction))
        )
    }
}

extension FunctionParameterSyntax {
    /// The name inside of the function, which doc comments use.
    fileprivate var nameInFunction: String { (secondName ?? firstName).text.withoutBackticks }

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
