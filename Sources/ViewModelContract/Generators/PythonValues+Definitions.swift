import JSONRPC

extension PythonValues {
    /// Adds a definition.
    mutating func define(_ lines: [String]) { definitions.append(lines) }

    /// A member of an object as an attribute.
    struct Member {
        let name, attribute: String
        let type: PythonType
        let description: String
        let isRequired: Bool

        /// The annotation, with a default if the member can be left out.
        var declaration: String {
            let type = isRequired ? type : type.optional
            return "\(attribute): \(type.annotation)\(isRequired ? "" : " = None")"
        }
    }

    /// Returns the members of an object, the required ones first.
    mutating func members(
        _ properties: [ContractSchema.Property],
        of owner: String,
        reserved: Set<String>
    ) -> [Member] {
        let sorted = properties.filter(\.isRequired) + properties.filter { !$0.isRequired }
        let attributes = PythonNames.members(sorted.map(\.name), reserved: reserved)
        return zip(sorted, attributes).map { property, attribute in
            Member(
                name: property.name,
                attribute: attribute,
                type: type(property.schema, named: owner + PythonNames.capitalised(property.name)),
                description: property.schema.description,
                isRequired: property.isRequired
            )
        }
    }

    mutating func define(_ name: String, _ properties: [ContractSchema.Property], _ description: String) {
        let members = members(properties, of: name, reserved: PythonNames.value)
        var lines = ["@dataclass(frozen=True)", "class \(name):"]
        lines += PythonText.docstring(description.isEmpty ? "A value of the contract." : description, indent: 4)
        if !members.isEmpty { lines.append("") }
        for member in members {
            lines.append("    \(member.declaration)")
            lines += PythonText.docstring(member.description, indent: 4)
        }
        lines += ["", "    @classmethod", "    def from_json(cls, json: Any) -> \(name):"]
        lines.append("        \(members.isEmpty ? "" : "members = ")as_object(json)")
        let arguments = members.map { member in
            let type = member.isRequired ? member.type : member.type.optional
            return "\(member.attribute)=\(type.read("members.get(\(PythonText.literal(member.name)))"))"
        }
        lines += PythonText.list("return cls(", arguments, ")", indent: 8)
        lines += ["", "    def to_json(self) -> dict[str, Any]:"]
        let entries = members.map { (name: $0.name, value: "self.\($0.attribute)", isRequired: $0.isRequired) }
        lines += Self.dictionary("return ", entries, "", indent: 8)
        definitions.append(lines)
    }

    /// Returns a dictionary, without the optional members that are `None`.
    static func dictionary(
        _ opening: String,
        _ members: [(name: String, value: String, isRequired: Bool)],
        _ closing: String,
        indent: Int
    ) -> [String] {
        let entries = members.map { "\(PythonText.literal($0.name)): \($0.value)" }
        let count = members.count { $0.isRequired }
        let (required, optional) = (Array(entries.prefix(count)), Array(entries.dropFirst(count)))
        if optional.isEmpty { return PythonText.list("\(opening){", required, "}\(closing)", indent: indent) }
        if required.isEmpty {
            return PythonText.list("\(opening)without_none({", optional, "})\(closing)", indent: indent)
        }
        let part = "**without_none({\(optional.joined(separator: ", "))})"
        return PythonText.list("\(opening){", required + [part], "}\(closing)", indent: indent)
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
        definitions.append(
            PythonText.list("\(name) = Literal[", PythonType.cases(choices) ?? [], "]", indent: 0)
                + PythonText.docstring(text, indent: 0)
        )
    }

    // MARK: Failures

    /// Returns the exception of a declared failure.
    ///
    /// Actions that declare a failure with the same name and details share the exception.
    mutating func exception(_ failure: ContractType.Failure, of action: String) -> String {
        let schema = failure.details?.node.json
        if let same = failures.first(where: { $0.error == failure.error && $0.details == schema }) { return same.name }
        let word = PythonNames.capitalised(failure.error)
        let suffix = word.hasSuffix("Error") ? "" : "Error"
        let isFirst = !failures.contains { $0.error == failure.error }
        let name = names.type((isFirst ? "" : action) + word + suffix)
        failures.append(Failure(error: failure.error, details: schema, name: name))
        let details = "\(isFirst ? "" : action)\(word)Details"
        let described = "The details of the failure `\(failure.error)`."
        let type =
            failure.details.map { self.type($0, named: details, describedAs: described) } ?? PythonType.none
        var text = failure.description.isEmpty ? "The failure `\(failure.error)`." : failure.description
        if failure.isRetryable { text += "\n\nA later call may succeed." }
        var lines = ["class \(name)(ActionFailed):"] + PythonText.docstring(text, indent: 4)
        lines += ["", "    @property", "    def details(self) -> \(type.annotation):"]
        lines.append("        return \(type.cast(type.read("super().details")))")
        definitions.append(lines)
        return name
    }
}
