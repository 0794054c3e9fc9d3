import SwiftDiagnostics

// MARK: - Values on the wire

extension ViewModelDiagnostic {
    static let nestedPrivate = Self("The conformance is written outside of the enclosing type; write `fileprivate`")

    static func ownCoding(_ name: String) -> Self {
        Self(
            "The coding of `\(name)` is written by hand, so its declaration does not show its shape; write "
                + "`static var schema: Schema { … }`, too"
        )
    }

    static func ownEquality(_ name: String) -> Self {
        Self("The operator `==` of `\(name)` is written by hand; write `\(name): Equatable`")
    }

    static func unknownType(_ name: String) -> Self {
        Self("@Schemable reads the type of a property from its declaration; write `var \(name): … = …`")
    }

    static let codingKeysNotAnEnum = Self(
        "@Schemable reads the names from the cases of an enum; write `enum CodingKeys: String, CodingKey`, or write "
            + "`static var schema: Schema { … }`"
    )

    static func rawType(_ type: String, _ name: String) -> Self {
        Self("An enum on the wire is a string or an integer, not a `\(type)`; write `enum \(name): String`")
    }

    static func noCases(_ name: String) -> Self {
        Self("A value of `\(name)` is one of its cases; write at least one")
    }
}

// MARK: - Bounds

extension ViewModelDiagnostic {
    static func boundsOfType(_ type: String) -> Self {
        Self("@Bounds applies to numbers, strings and arrays; a `\(type)` has no bounds")
    }

    static func patternOfType(_ type: String) -> Self {
        Self("A pattern applies to strings, not to a `\(type)`")
    }

    static func boundsPattern(_ reason: String) -> Self {
        Self("The pattern is not a regular expression that can be checked: \(reason)")
    }

    static let boundsOfValue = Self("The parameter has no label, so it is the value itself; remove its name")

    static func boundsOfProperty(_ name: String) -> Self {
        Self("A property has one value; remove \(name.asLiteral)")
    }

    static func boundsWithoutParameter(_ names: [String]) -> Self {
        let remedy =
            names.isEmpty
            ? "the function has none"
            : "write " + names.map { "`@Bounds(\($0.asLiteral), …)`" }.joined(separator: " or ")
        return Self("@Bounds names a parameter of the function; \(remedy)")
    }
}

// MARK: - Models

extension ViewModelDiagnostic {
    static let modelWithoutFactory = Self(
        "@SharedModel creates the class from the types of its parameters; write one `init` that is not private and has "
            + "plain types, or register the class with `catalog.share { … }`"
    )
}

// MARK: - Failures

extension ViewModelDiagnostic {
    static let unnamedDetail = Self("A detail has a name on the wire; write `case name(detail: Value)`")

    static func failureName(_ name: String) -> Self {
        Self("@Failure writes a property `\(name)`; give the case another name")
    }
}
