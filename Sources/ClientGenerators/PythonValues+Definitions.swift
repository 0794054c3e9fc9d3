import ViewModelContract

extension PythonValues {
    /// A member of an object as an attribute.
    struct Member {
        let name, attribute: String
        let type: PythonType
        let description: String
        let isRequired: Bool

        var annotation: String { (isRequired ? type : type.optional).annotation }

        /// The parameter for the member, with a default if the member can be left out.
        var declaration: String { "\(attribute): \(annotation)\(isRequired ? "" : " = None")" }
    }

    /// Returns the members of an object, the required ones first.
    mutating func members(
        _ properties: [ContractSchema.Property],
        of owner: SchemaPath,
        reserved: Set<String>
    ) -> [Member] {
        // A name must not depend on what is required.
        var scope = PythonScope(reserved: reserved)
        let attributes = scope.members(properties.map(\.name))
        let named = Array(zip(properties, attributes))
        return (named.filter(\.0.isRequired) + named.filter { !$0.0.isRequired }).map { property, attribute in
            let name = property.name
            given.add(attribute, at: "\(owner.text).\(name)")
            return Member(
                name: name,
                attribute: attribute,
                type: type(property.schema, at: owner.appending(".\(name)", PythonNames.capitalised(name))),
                description: property.schema.description,
                isRequired: property.isRequired
            )
        }
    }

    /// Defines the class of an object.
    ///
    /// Its members are given by name: the order of members has no meaning in a contract.
    mutating func define(
        _ path: SchemaPath,
        as name: String,
        _ properties: [ContractSchema.Property],
        _ description: String
    ) {
        let path = SchemaPath(text: path.text, hint: name)
        let members = members(properties, of: path, reserved: PythonNames.value)
        let values = members.map { "\($0.attribute)=\($0.attribute)" }
        let arguments = members.map { member in
            let type = member.isRequired ? member.type : member.type.optional
            return "\(member.attribute)=\(type.read("members.get(\(PythonText.literal(member.name)))"))"
        }
        let entries = members.map { (name: $0.name, value: "self.\($0.attribute)", isRequired: $0.isRequired) }
        let parameters = ["self", "*"] + members.map(\.declaration)
        let initializer = PythonText.signature("def __init__", parameters, "None", indent: 4)
        let shown = members.map { member -> GeneratedTemplate.Values in
            let doc = PythonText.docstring(member.description, indent: 4)
            return ["name": member.attribute, "type": member.annotation, "doc": doc]
        }
        definitions.append([
            "object": name, "members": shown, "initializer": members.isEmpty ? "" : initializer,
            "doc": PythonText.docstring(description.isEmpty ? "A value of the contract." : description, indent: 4),
            "update": PythonText.list("self.__dict__.update(", values, ")", indent: 8),
            "assignment": members.isEmpty ? "" : "members = ",
            "reading": PythonText.list("return cls(", arguments, ")", indent: 8),
            "writing": Self.dictionary("return ", entries, indent: 8),
        ])
    }

    /// Returns a dictionary, without the optional members that are `None`.
    static func dictionary(
        _ opening: String,
        _ members: [(name: String, value: String, isRequired: Bool)],
        indent: Int
    ) -> String {
        let entries = members.map { "\(PythonText.literal($0.name)): \($0.value)" }
        let count = members.count { $0.isRequired }
        let (required, optional) = (Array(entries.prefix(count)), Array(entries.dropFirst(count)))
        if optional.isEmpty { return PythonText.list("\(opening){", required, "}", indent: indent) }
        if required.isEmpty {
            return PythonText.list("\(opening)without_none({", optional, "})", indent: indent)
        }
        let part = "**without_none({\(optional.joined(separator: ", "))})"
        return PythonText.list("\(opening){", required + [part], "}", indent: indent)
    }

    mutating func defineLiteral(
        _ name: String,
        _ choices: [ContractSchema.Choice],
        _ description: String
    ) {
        let described = choices.filter { !$0.description.isEmpty }.map { choice in
            "- \(PythonType.cases([choice])?.first ?? ""): \(choice.description)"
        }
        let text =
            ([description.isEmpty ? "An enumeration. A newer daemon may send another case." : description, ""]
            + described).joined(separator: "\n")
        let literal = PythonText.list("\(name) = Literal[", PythonType.cases(choices) ?? [], "]", indent: 0)
        definitions.append(["text": literal + "\n" + PythonText.docstring(text, indent: 0)])
    }

    // MARK: Failures

    /// Returns the exception of a declared failure.
    ///
    /// Actions that declare a failure with the same name and details share the exception.
    mutating func exception(_ failure: ContractType.Failure, of action: SchemaPath) -> String {
        let key = FailureKey(failure)
        let path = "\(action.text).errors.\(failure.error)"
        if let known = failures[failure.error]?[key] {
            given.add(known, at: path)
            return known
        }
        let word = (failures[failure.error] == nil ? "" : action.hint) + PythonNames.capitalised(failure.error)
        let name = names.type(word + (word.hasSuffix("Error") ? "" : "Error"))
        given.add(name, at: path)
        failures[failure.error, default: [:]][key] = name
        let described = "The details of the failure `\(failure.error)`."
        let details = SchemaPath(text: "\(path).details", hint: "\(word)Details")
        let type = failure.details.map { self.type($0, at: details, describedAs: described) } ?? PythonType.none
        var text = failure.description.isEmpty ? "The failure `\(failure.error)`." : failure.description
        if failure.isRetryable { text += "\n\nA later call may succeed." }
        definitions.append([
            "exception": name, "doc": PythonText.docstring(text, indent: 4), "type": type.annotation,
            "reading": type.cast(type.read("super().details")),
        ])
        return name
    }
}
