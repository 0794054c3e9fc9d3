import SwiftDiagnostics
import SwiftSyntax

/// A mistake in the declaration of a ViewModel or of a value on the wire, with the correct form in its message.
struct ViewModelDiagnostic: DiagnosticMessage {
    let id: String
    let message: String
    var severity = DiagnosticSeverity.error

    var diagnosticID: MessageID { MessageID(domain: "ViewModelMacros", id: id) }
}

/// The message of a fix-it.
struct FixItText: FixItMessage {
    let message: String

    var fixItID: MessageID { MessageID(domain: "ViewModelMacros", id: message) }
}

// MARK: - The class

extension ViewModelDiagnostic {
    static func notAClass(_ name: String) -> ViewModelDiagnostic {
        ViewModelDiagnostic(
            id: "notAClass",
            message: "@ViewModel applies to a final class; write `final class \(name)`"
        )
    }

    static func notFinal(_ name: String) -> ViewModelDiagnostic {
        ViewModelDiagnostic(id: "notFinal", message: "A ViewModel is a final class; write `final class \(name)`")
    }

    static func generic(_ name: String) -> ViewModelDiagnostic {
        ViewModelDiagnostic(
            id: "generic",
            message:
                "A ViewModel has one contract, so it cannot be generic; write `final class \(name)` and pass the varying part "
                + "to its initialiser"
        )
    }

    static let nameNotLiteral = ViewModelDiagnostic(
        id: "nameNotLiteral",
        message:
            "The name is known when the code is compiled; write a string literal such as @ViewModel(\"calculator\")"
    )

    static func invalidName(_ name: String) -> ViewModelDiagnostic {
        ViewModelDiagnostic(
            id: "invalidName",
            message:
                "`\(name)` cannot be a name on the wire; write @ViewModel(\"…\") with a letter and up to 63 letters, "
                + "digits, `_` or `-` after it"
        )
    }

    static func reservedName(_ name: String) -> ViewModelDiagnostic {
        ViewModelDiagnostic(
            id: "reservedName",
            message: "The protocol keeps the name `\(name)` for itself; write @ViewModel(\"…\") with another one"
        )
    }
}

// MARK: - The groups

extension ViewModelDiagnostic {
    static func groupNotAStruct(_ name: String) -> ViewModelDiagnostic {
        ViewModelDiagnostic(id: "groupNotAStruct", message: "`\(name)` is a struct; write `struct \(name)`")
    }

    static func missingProperty(_ group: MemberGroup) -> ViewModelDiagnostic {
        ViewModelDiagnostic(
            id: "missingProperty",
            message: "`\(group.typeName)` needs a stored property; write `let \(group.propertyName): \(group.typeName)`"
        )
    }

    static func missingStruct(_ group: MemberGroup) -> ViewModelDiagnostic {
        ViewModelDiagnostic(
            id: "missingStruct",
            message:
                "`\(group.propertyName)` is described by a nested struct; write `struct \(group.typeName) { … }` inside the "
                + "class, or give the property another name"
        )
    }

    static func propertyNotLet(_ group: MemberGroup) -> ViewModelDiagnostic {
        ViewModelDiagnostic(
            id: "propertyNotLet",
            message:
                "`\(group.propertyName)` is stored and never changes; write `let \(group.propertyName): \(group.typeName)`"
        )
    }

    static func propertyOfOtherType(_ group: MemberGroup) -> ViewModelDiagnostic {
        ViewModelDiagnostic(
            id: "propertyOfOtherType",
            message:
                "`\(group.propertyName)` holds the nested struct; write `let \(group.propertyName): \(group.typeName)`"
        )
    }
}

// MARK: - The members

extension ViewModelDiagnostic {
    static func memberNotLet(_ name: String) -> ViewModelDiagnostic {
        ViewModelDiagnostic(
            id: "memberNotLet",
            message: "A member never changes, only its value does; write `let \(name)`"
        )
    }

    static func memberComputed(_ name: String, _ group: MemberGroup) -> ViewModelDiagnostic {
        ViewModelDiagnostic(
            id: "memberComputed",
            message: "`\(group.typeName)` has stored members only; write `let \(name)` and set it in the initialiser"
        )
    }

    static func memberStatic(_ group: MemberGroup) -> ViewModelDiagnostic {
        ViewModelDiagnostic(
            id: "memberStatic",
            message:
                "`\(group.typeName)` has members of its instances only; write `let`, or move this out of `\(group.typeName)`"
        )
    }

    static func memberPrivate(_ group: MemberGroup) -> ViewModelDiagnostic {
        ViewModelDiagnostic(
            id: "memberPrivate",
            message:
                "Clients see each member of `\(group.typeName)`; write it without `private`, or move it to the class"
        )
    }

    static func notAMember(_ group: MemberGroup) -> ViewModelDiagnostic {
        ViewModelDiagnostic(
            id: "notAMember",
            message:
                "`\(group.typeName)` has only `let` members, each \(group.memberTypesInWords); write this in the class"
        )
    }

    static func conditional(_ group: MemberGroup) -> ViewModelDiagnostic {
        ViewModelDiagnostic(
            id: "conditional",
            message:
                "@ViewModel cannot know which branch of `#if` applies; write the members of `\(group.typeName)` without it"
        )
    }

    static func pattern(_ group: MemberGroup) -> ViewModelDiagnostic {
        ViewModelDiagnostic(
            id: "pattern",
            message: "Each member of `\(group.typeName)` has its own name and type; write one `let` for each"
        )
    }

    static func memberOfOtherType(_ name: String, _ group: MemberGroup) -> ViewModelDiagnostic {
        let types = (group.memberTypes ?? []).filter { $0 != "ListedAction" }
            .map { $0 == "Action" ? "Action<Parameters, Result>" : "\($0)<Value>" }
        return ViewModelDiagnostic(
            id: "memberOfOtherType",
            message: "Each member of `\(group.typeName)` is \(group.memberTypesInWords); write "
                + types.map { "`let \(name): \($0)`" }.joined(separator: " or ")
        )
    }

    static func invalidMemberName(_ name: String) -> ViewModelDiagnostic {
        ViewModelDiagnostic(
            id: "invalidMemberName",
            message:
                "`\(name)` cannot be a member's name on the wire; write a lower-case letter and then only letters and "
                + "digits without accents"
        )
    }

    static func sameName(_ name: String, _ group: MemberGroup) -> ViewModelDiagnostic {
        let rival = group.rival
        return ViewModelDiagnostic(
            id: "sameName",
            message: "`\(rival.group.typeName)` has a member `\(name)`, too, and \(rival.reason); write another name"
        )
    }

    static func twice(_ name: String, _ group: MemberGroup) -> ViewModelDiagnostic {
        ViewModelDiagnostic(
            id: "twice",
            message: "`\(group.typeName)` has two members `\(name)`; write another name"
        )
    }

    static let tupleArgument = ViewModelDiagnostic(
        id: "tupleArgument",
        message: "A tuple cannot be sent; make it a struct with @Schemable"
    )

    static func attributeOfNoAction(_ attribute: String) -> ViewModelDiagnostic {
        ViewModelDiagnostic(
            id: "attributeOfNoAction",
            message:
                "@\(attribute) applies to an action; write it on a `let` in the struct `Actions` of a ViewModel"
        )
    }

    static let volatileOfNoOutput = ViewModelDiagnostic(
        id: "volatileOfNoOutput",
        message:
            "@Volatile applies to an output; write it before @Output, or on a `let` in the struct `Outputs` of a ViewModel"
    )
}

// MARK: - Bodies

extension ViewModelDiagnostic {
    static func captureList(_ severity: DiagnosticSeverity) -> ViewModelDiagnostic {
        ViewModelDiagnostic(
            id: "captureList",
            message:
                "In Swift 6.3 a closure that suspends and has a capture list leaves the session; remove the list, the "
                + "framework releases the closure with the instance",
            severity: severity
        )
    }

    static func localAsyncFunction(_ name: String) -> ViewModelDiagnostic {
        ViewModelDiagnostic(
            id: "localAsyncFunction",
            message:
                "In Swift 6.3 a local `async` function that captures can leave the session; write `\(name)` as a method, "
                + "or move its body into the action",
            severity: .warning
        )
    }

    static let ownTask = ViewModelDiagnostic(
        id: "ownTask",
        message: "A task of its own leaves the session; write an action and call its `run()`",
        severity: .warning
    )

    static func cellAsOutput(_ name: String, _ type: String) -> ViewModelDiagnostic {
        ViewModelDiagnostic(
            id: "cellAsOutput",
            message: "Clients see an output, not the value behind it; write `\(type)(\(name))`"
        )
    }
}

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

// MARK: - The short form

extension ViewModelDiagnostic {
    static func attributeOfFunction(_ attribute: String) -> ViewModelDiagnostic {
        ViewModelDiagnostic(
            id: "attributeOfFunction",
            message: "@\(attribute) applies to a function of a ViewModel; write `@\(attribute) func …`"
        )
    }

    static func attributeOfProperty(_ attribute: String) -> ViewModelDiagnostic {
        ViewModelDiagnostic(
            id: "attributeOfProperty",
            message: "@\(attribute) applies to a property; write `@\(attribute) var …`"
        )
    }

    static func outsideViewModel(_ attribute: String) -> ViewModelDiagnostic {
        ViewModelDiagnostic(
            id: "outsideViewModel",
            message:
                "@\(attribute) declares a member that clients see; write it in the body of a class with @ViewModel, not in "
                + "an extension"
        )
    }

    static func shortStatic(_ attribute: String) -> ViewModelDiagnostic {
        ViewModelDiagnostic(
            id: "shortStatic",
            message: "@\(attribute) declares a member of an instance; remove `static`"
        )
    }

    static let shortConditional = ViewModelDiagnostic(
        id: "shortConditional",
        message: "@ViewModel cannot know which branch of `#if` applies; write the members of the contract without it"
    )

    static let shortPattern = ViewModelDiagnostic(
        id: "shortPattern",
        message: "Each member has its own name and type; write one `var` for each"
    )

    static func shortType(_ name: String) -> ViewModelDiagnostic {
        ViewModelDiagnostic(
            id: "shortType",
            message: "@ViewModel reads the type of a member from its declaration; write `var \(name): …`"
        )
    }

    static func shortLet(_ name: String) -> ViewModelDiagnostic {
        ViewModelDiagnostic(id: "shortLet", message: "The value changes; write `var \(name)`")
    }

    static func computedField(_ name: String) -> ViewModelDiagnostic {
        ViewModelDiagnostic(
            id: "computedField",
            message:
                "A field keeps what clients type; write `@Field var \(name)` with a value, or `@Output var \(name)` for a "
                + "computed property"
        )
    }

    static func storedRows(_ name: String) -> ViewModelDiagnostic {
        ViewModelDiagnostic(
            id: "storedRows",
            message:
                "@Rows applies to a computed array; write `@Rows var \(name): [Row] { … }`, or "
                + "`@Output var \(name): Rows<Row> = []` for a list that is edited"
        )
    }

    static func storedSample(_ name: String) -> ViewModelDiagnostic {
        ViewModelDiagnostic(
            id: "storedSample",
            message: "A value that changes with time is computed; write `@Output(every: …) var \(name): Value { … }`"
        )
    }

    static let rowWithoutType = ViewModelDiagnostic(
        id: "rowWithoutType",
        message: "@ViewModel reads the type of the shown rows from an initialiser; write `@Rows(of: Row.init)`"
    )

    static let eventWithValue = ViewModelDiagnostic(
        id: "eventWithValue",
        message: "An event has a type and no value; write `@Event var name: Value`"
    )

    static let observedProperty = ViewModelDiagnostic(
        id: "observedProperty",
        message:
            "Observers would run on the macro's accessors; write what follows from the value as a computed property, or in "
            + "a function that changes it"
    )

    static let shortGeneric = ViewModelDiagnostic(
        id: "shortGeneric",
        message: "A member of a contract has one type; write the function without generic parameters"
    )

    static func asyncInput(_ name: String) -> ViewModelDiagnostic {
        ViewModelDiagnostic(
            id: "asyncInput",
            message: "An input ends within its step; write `@Action func \(name)` for work that suspends"
        )
    }

    static func inputWithResult(_ name: String) -> ViewModelDiagnostic {
        ViewModelDiagnostic(
            id: "inputWithResult",
            message: "An input has no result; write `@Action func \(name)`, or show the result in an output"
        )
    }

    static func inputWithFailures(_ name: String, _ failures: String) -> ViewModelDiagnostic {
        ViewModelDiagnostic(
            id: "inputWithFailures",
            message:
                "An input refuses a value with `InvalidValue`; write `@Action func \(name)` for `throws(\(failures))`"
        )
    }

    static let valueWithDefault = ViewModelDiagnostic(
        id: "valueWithDefault",
        message: "A value alone cannot be left out; give the parameter a label, or remove the default value"
    )

    static func executionWithoutAsync(_ name: String) -> ViewModelDiagnostic {
        ViewModelDiagnostic(
            id: "executionWithoutAsync",
            message: "Only an action that suspends has an execution; write `func \(name)(…) async`"
        )
    }

    static func listedPolicy(_ attribute: String) -> ViewModelDiagnostic {
        ViewModelDiagnostic(
            id: "listedPolicy",
            message:
                "Executions are listed if there may be several; write `\(attribute)(.concurrent(limit: 2)…)`, "
                + "`.concurrent` or `.queued`"
        )
    }

    static func listedWithoutAsync(_ name: String) -> ViewModelDiagnostic {
        ViewModelDiagnostic(
            id: "listedWithoutAsync",
            message: "An action that cannot suspend has no executions to list; write `func \(name)(…) async`"
        )
    }

    static func unknownID(_ names: [String]) -> ViewModelDiagnostic {
        let remedy =
            names.isEmpty
            ? "add one" : "write " + names.map { "`id: \($0.asLiteral)`" }.joined(separator: " or ")
        return ViewModelDiagnostic(id: "unknownID", message: "`id` is the name of a parameter as a literal; \(remedy)")
    }

    static let idWithDefault = ViewModelDiagnostic(
        id: "idWithDefault",
        message: "The id of an execution cannot be left out; remove the default value"
    )

    static let runsWithParameters = ViewModelDiagnostic(
        id: "runsWithParameters",
        message:
            "An action with params does not run by itself; call it in `init` with `$name.run(…)`, or remove the params"
    )

    static let specialType = ViewModelDiagnostic(
        id: "specialType",
        message: "Clients send and get plain values; write the type without `inout`, `…`, `!`, `some` and `->`"
    )

    static func parameterName(_ name: String) -> ViewModelDiagnostic {
        ViewModelDiagnostic(
            id: "parameterName",
            message: "`\(name)` cannot be the name of a member of the params; write another name"
        )
    }

    static func sameParameter(_ name: String) -> ViewModelDiagnostic {
        ViewModelDiagnostic(
            id: "sameParameter",
            message: "Two members of the params are called `\(name)`; give one another label"
        )
    }

    static func nameOfGroup(_ name: String) -> ViewModelDiagnostic {
        ViewModelDiagnostic(
            id: "nameOfGroup",
            message: "@ViewModel writes a property `\(name)` for the members with attributes; write another name"
        )
    }

    static func listAsField(_ name: String) -> ViewModelDiagnostic {
        ViewModelDiagnostic(
            id: "listAsField",
            message:
                "A list is edited and not set as a whole; write `@Output var \(name)` and an `@Input func` for each edit"
        )
    }

    static let rowsWithCall = ViewModelDiagnostic(
        id: "rowsWithCall",
        message: "The list is created by the macro; write its rows as an array literal, or `= []`"
    )

    static let persistence = ViewModelDiagnostic(
        id: "persistence",
        message: "A value is saved in one place; write `.session`, `.user` or `.daemon`"
    )

    static let computedPersistence = ViewModelDiagnostic(
        id: "computedPersistence",
        message: "A computed property is not saved; save the properties that it reads"
    )

    static func childNotLet(_ name: String) -> ViewModelDiagnostic {
        ViewModelDiagnostic(id: "childNotLet", message: "A child lives as long as its parent; write `let \(name)`")
    }

    static let tupleParameter = ViewModelDiagnostic(
        id: "tupleParameter",
        message: "A tuple has no names on the wire; write several parameters, or a struct with @Schemable"
    )

    static func bothForms(_ group: MemberGroup) -> ViewModelDiagnostic {
        ViewModelDiagnostic(
            id: "bothForms",
            message:
                "@ViewModel writes `\(group.typeName)` from the members with attributes; write all members of the class in "
                + "one form"
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
