import SwiftDiagnostics

/// Mistakes in a member with an attribute.
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

    static func computedEvent(_ name: String) -> ViewModelDiagnostic {
        ViewModelDiagnostic(
            id: "computedEvent",
            message:
                "A computed event is that of a shared model; write `@Event var \(name): Event<Value> { model.\(name) }`, or "
                + "`@Event var \(name): Value` for an event of this ViewModel"
        )
    }

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

    static func executionNotLast(_ name: String) -> ViewModelDiagnostic {
        ViewModelDiagnostic(
            id: "executionNotLast",
            message: "`Execution` comes last; write `func \(name)(…, _ execution: Execution) async`"
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

    static func listWithSetter(_ modifier: String) -> ViewModelDiagnostic {
        ViewModelDiagnostic(
            id: "listWithSetter",
            message: "A list is edited and never set; remove `\(modifier)`. Clients cannot edit it"
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
