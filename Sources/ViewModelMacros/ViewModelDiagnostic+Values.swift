import SwiftDiagnostics

// MARK: - Values on the wire

extension ViewModelDiagnostic {
    static let schemableOfNoValue = ViewModelDiagnostic(
        id: "schemableOfNoValue",
        message:
            "@Schemable applies to a struct or an enum; write `struct`, or write the conformance to `Schemable` by hand "
            + "with `static var schema: Schema { … }`"
    )

    static let nestedPrivate = ViewModelDiagnostic(
        id: "nestedPrivate",
        message: "The conformance is written outside of the enclosing type; write `fileprivate`"
    )

    static func ownCoding(_ name: String) -> ViewModelDiagnostic {
        ViewModelDiagnostic(
            id: "ownCoding",
            message:
                "The coding of `\(name)` is written by hand, so its declaration does not show its shape; write "
                + "`static var schema: Schema { … }`, too"
        )
    }

    static func ownEquality(_ name: String) -> ViewModelDiagnostic {
        ViewModelDiagnostic(
            id: "ownEquality",
            message: "The operator `==` of `\(name)` is written by hand; write `\(name): Equatable`"
        )
    }

    static func unknownType(_ name: String) -> ViewModelDiagnostic {
        ViewModelDiagnostic(
            id: "unknownType",
            message: "@Schemable reads the type of a property from its declaration; write `var \(name): … = …`"
        )
    }

    static let propertyPattern = ViewModelDiagnostic(
        id: "propertyPattern",
        message: "Each property has its own name and type; write one `var` for each"
    )

    static let conditionalValue = ViewModelDiagnostic(
        id: "conditionalValue",
        message:
            "@Schemable cannot know which branch of `#if` applies; write the declaration without it, or write "
            + "`static var schema: Schema { … }`"
    )

    static let codingKeysNotAnEnum = ViewModelDiagnostic(
        id: "codingKeysNotAnEnum",
        message:
            "@Schemable reads the names from the cases of an enum; write `enum CodingKeys: String, CodingKey`, or write "
            + "`static var schema: Schema { … }`"
    )

    static func rawType(_ type: String, _ name: String) -> ViewModelDiagnostic {
        ViewModelDiagnostic(
            id: "rawType",
            message: "An enum on the wire is a string or an integer, not a `\(type)`; write `enum \(name): String`"
        )
    }

    static func noCases(_ name: String) -> ViewModelDiagnostic {
        ViewModelDiagnostic(id: "noCases", message: "A value of `\(name)` is one of its cases; write at least one")
    }
}

// MARK: - Bounds

extension ViewModelDiagnostic {
    static let boundsElsewhere = ViewModelDiagnostic(
        id: "boundsElsewhere",
        message:
            "@Bounds applies to values that clients send: a property of a struct with @Schemable, a @Field, an @Input or an "
            + "@Action"
    )

    static func boundsOfType(_ type: String) -> ViewModelDiagnostic {
        ViewModelDiagnostic(
            id: "boundsOfType",
            message: "@Bounds applies to numbers, strings and arrays; a `\(type)` has no bounds"
        )
    }

    static func patternOfType(_ type: String) -> ViewModelDiagnostic {
        ViewModelDiagnostic(id: "patternOfType", message: "A pattern applies to strings, not to a `\(type)`")
    }

    static func boundsPattern(_ reason: String) -> ViewModelDiagnostic {
        ViewModelDiagnostic(
            id: "boundsPattern",
            message: "The pattern is not a regular expression that can be checked: \(reason)"
        )
    }

    static let boundsOfValue = ViewModelDiagnostic(
        id: "boundsOfValue",
        message: "The parameter has no label, so it is the value itself; remove its name"
    )

    static func boundsOfProperty(_ name: String) -> ViewModelDiagnostic {
        ViewModelDiagnostic(
            id: "boundsOfProperty",
            message: "A property has one value; remove \(name.asLiteral)"
        )
    }

    static func boundsWithoutParameter(_ names: [String]) -> ViewModelDiagnostic {
        let remedy =
            names.isEmpty
            ? "the function has none"
            : "write " + names.map { "`@Bounds(\($0.asLiteral), …)`" }.joined(separator: " or ")
        return ViewModelDiagnostic(
            id: "boundsWithoutParameter",
            message: "@Bounds names a parameter of the function; \(remedy)"
        )
    }
}

// MARK: - Models

extension ViewModelDiagnostic {
    static let modelNotFinal = ViewModelDiagnostic(
        id: "modelNotFinal",
        message: "@SharedModel applies to a final class; write `final class`"
    )

    static let modelWithoutFactory = ViewModelDiagnostic(
        id: "modelWithoutFactory",
        message:
            "@SharedModel creates the class from the types of its parameters; write one `init` that is not private and has "
            + "plain types, or register the class with `catalog.share { … }`"
    )
}

// MARK: - Failures

extension ViewModelDiagnostic {
    static let failureOfNoEnum = ViewModelDiagnostic(
        id: "failureOfNoEnum",
        message: "@Failure applies to an enum, whose cases are the failures; write `enum`"
    )

    static let unnamedDetail = ViewModelDiagnostic(
        id: "unnamedDetail",
        message: "A detail has a name on the wire; write `case name(detail: Value)`"
    )

    static let conditionalFailure = ViewModelDiagnostic(
        id: "conditionalFailure",
        message: "@Failure cannot know which branch of `#if` applies; write the cases without it"
    )

    static func failureName(_ name: String) -> ViewModelDiagnostic {
        ViewModelDiagnostic(
            id: "failureName",
            message: "@Failure writes a property `\(name)`; give the case another name"
        )
    }

    static let retryableOfNoCase = ViewModelDiagnostic(
        id: "retryableOfNoCase",
        message: "@Retryable applies to a case of an enum with @Failure"
    )
}
