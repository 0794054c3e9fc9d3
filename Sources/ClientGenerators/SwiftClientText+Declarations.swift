import ViewModelContract

/// The parts of structs and enums in a generated Swift client.
extension SwiftClientText {
    /// A stored property, whose name is Swift code.
    struct Property {
        var name: String
        var type: String
        var doc: String
    }

    /// A case of an enum, whose name is Swift code.
    struct Case {
        var name: String
        /// The type of the associated value.
        var payload: String?
        /// The paragraphs of the documentation.
        var doc: [String]
    }

    /// Appends stored properties.
    mutating func properties(_ properties: [Property]) {
        for property in properties {
            doc(property.doc)
            line("public var \(property.name): \(property.type)")
        }
    }

    /// Appends an initializer that sets each property.
    ///
    /// - Parameters:
    ///   - description: The documentation.
    ///   - properties: The properties. One that can be nil may be left out.
    ///   - isFirstRequired: Whether the first one is never left out.
    mutating func initializer(_ description: String, _ properties: [Property], isFirstRequired: Bool = false) {
        gap()
        doc(description)
        let parameters = properties.enumerated().map { index, property in
            let isOptional = property.type.hasSuffix("?") && !(isFirstRequired && index == 0)
            return "\(property.name): \(property.type)\(isOptional ? " = nil" : "")"
        }
        function("public init", parameters) { text in
            for property in properties { text.line("self.\(property.name) = \(property.name)") }
        }
    }

    /// Appends the cases of an enum.
    mutating func cases(_ cases: [Case]) {
        for one in cases {
            doc(one.doc)
            line("case \(one.name)\(one.payload.map { "(\($0))" } ?? "")")
        }
    }

    /// Appends a member whose body is a switch with one line for each pattern.
    mutating func choice(_ description: String, _ head: String, over subject: String, _ lines: [String]) {
        gap()
        doc(description)
        block(head) { text in
            text.line("switch \(subject) {")
            for line in lines { text.line(line) }
            text.line("}")
        }
    }
}
