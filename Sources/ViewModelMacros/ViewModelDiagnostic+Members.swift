import SwiftDiagnostics

// MARK: - Attributes

extension ViewModelDiagnostic {
    /// The declarations to which the attributes apply.
    private static let targets = [
        "Action": "a function of a ViewModel; write `@Action func …`",
        "Bounds": "values that clients send: a property of a struct with @Schemable, a @Field, an @Input or an @Action",
        "Failure": "an enum, whose cases are the failures; write `enum`",
        "Input": "a function of a ViewModel; write `@Input func …`",
        "Policy": "an action; write it on a `let` in the struct `Actions` of a ViewModel",
        "Retryable": "a case of an enum with @Failure",
        "Schemable": "a struct or an enum; write `struct`, or write the conformance to `Schemable` by hand with "
            + "`static var schema: Schema { … }`",
        "SharedModel": "a final class; write `final class`",
        "Throws": "an action; write it on a `let` in the struct `Actions` of a ViewModel",
        "Volatile": "an output; write it before @Output, or on a `let` in the struct `Outputs` of a ViewModel",
    ]

    /// Returns the report of an attribute on another declaration than it applies to.
    static func misplaced(_ attribute: String) -> Self {
        Self("@\(attribute) applies to \(targets[attribute] ?? "a property; write `@\(attribute) var …`")")
    }

    static func outsideViewModel(_ attribute: String) -> Self {
        Self(
            "@\(attribute) declares a member that clients see; write it in the body of a class with @ViewModel, not in "
                + "an extension"
        )
    }

    static func attributeOfType(_ attribute: String) -> Self {
        Self("@\(attribute) declares a member of an instance; remove `static`")
    }
}

// MARK: - Members in both forms

extension ViewModelDiagnostic {
    static func conditional(_ subject: String, in macro: String = "@ViewModel", or remedy: String = "") -> Self {
        Self("\(macro) cannot know which branch of `#if` applies; write \(subject) without it\(remedy)")
    }

    static func pattern(_ subject: String, _ keyword: String) -> Self {
        Self("Each \(subject) has its own name and type; write one `\(keyword)` for each")
    }

    static func invalidMemberName(_ name: String) -> Self {
        Self(
            "`\(name)` cannot be a member's name on the wire; write a lower-case letter and then only letters and "
                + "digits without accents"
        )
    }

    static func sameName(_ name: String, _ group: MemberGroup) -> Self {
        let rival = group.rival
        return Self("`\(rival.group.typeName)` has a member `\(name)`, too, and \(rival.reason); write another name")
    }

    static func twice(_ name: String, _ group: MemberGroup) -> Self {
        Self("`\(group.typeName)` has two members `\(name)`; write another name")
    }

    static func listedPolicy(_ attribute: String) -> Self {
        Self(
            "Executions are listed if there may be several; write `\(attribute)(.concurrent(limit: 2)…)`, "
                + "`.concurrent` or `.queued`"
        )
    }
}

// MARK: - The constants of a group

extension ViewModelDiagnostic {
    static func memberNotLet(_ name: String) -> Self {
        Self("A member never changes, only its value does; write `let \(name)`")
    }

    static func memberComputed(_ name: String, _ group: MemberGroup) -> Self {
        Self("`\(group.typeName)` has stored members only; write `let \(name)` and set it in the initialiser")
    }

    static func memberStatic(_ group: MemberGroup) -> Self {
        Self(
            "`\(group.typeName)` has members of its instances only; write `let`, or move this out of `\(group.typeName)`"
        )
    }

    static func memberPrivate(_ group: MemberGroup) -> Self {
        Self("Clients see each member of `\(group.typeName)`; write it without `private`, or move it to the class")
    }

    static func notAMember(_ group: MemberGroup) -> Self {
        Self("`\(group.typeName)` has only `let` members, each \(group.memberTypesInWords); write this in the class")
    }

    static func memberOfOtherType(_ name: String, _ group: MemberGroup) -> Self {
        let types = (group.memberTypes ?? []).filter { $0 != "ListedAction" }
            .map { $0 == "Action" ? "Action<Parameters, Result>" : "\($0)<Value>" }
        return Self(
            "Each member of `\(group.typeName)` is \(group.memberTypesInWords); write "
                + types.map { "`let \(name): \($0)`" }.joined(separator: " or ")
        )
    }

    static let tupleArgument = Self("A tuple cannot be sent; make it a struct with @Schemable")
}

// MARK: - Members with an attribute

extension ViewModelDiagnostic {
    static func memberWithoutType(_ name: String) -> Self {
        Self("@ViewModel reads the type of a member from its declaration; write `var \(name): …`")
    }

    static func valueNotVar(_ name: String) -> Self {
        Self("The value changes; write `var \(name)`")
    }

    static func computedField(_ name: String) -> Self {
        Self(
            "A field keeps what clients type; write `@Field var \(name)` with a value, or `@Output var \(name)` for a "
                + "computed property"
        )
    }

    static func storedRows(_ name: String) -> Self {
        Self(
            "@Rows applies to a computed array; write `@Rows var \(name): [Row] { … }`, or "
                + "`@Output var \(name): Rows<Row> = []` for a list that is edited"
        )
    }

    static func storedSample(_ name: String) -> Self {
        Self("A value that changes with time is computed; write `@Output(every: …) var \(name): Value { … }`")
    }

    static let rowWithoutType = Self(
        "@ViewModel reads the type of the shown rows from an initialiser; write `@Rows(of: Row.init)`"
    )

    static let eventWithValue = Self("An event has a type and no value; write `@Event var name: Value`")

    static func computedEvent(_ name: String) -> Self {
        Self(
            "A computed event is that of a shared model; write `@Event var \(name): Event<Value> { model.\(name) }`, or "
                + "`@Event var \(name): Value` for an event of this ViewModel"
        )
    }

    static let observedProperty = Self(
        "Observers would run on the macro's accessors; write what follows from the value as a computed property, or in "
            + "a function that changes it"
    )

    static let genericMember = Self(
        "A member of a contract has one type; write the function without generic parameters"
    )

    static func asyncInput(_ name: String) -> Self {
        Self("An input ends within its step; write `@Action func \(name)` for work that suspends")
    }

    static func inputWithResult(_ name: String) -> Self {
        Self("An input has no result; write `@Action func \(name)`, or show the result in an output")
    }

    static func inputWithFailures(_ name: String, _ failures: String) -> Self {
        Self("An input refuses a value with `InvalidValue`; write `@Action func \(name)` for `throws(\(failures))`")
    }

    static let valueWithDefault = Self(
        "A value alone cannot be left out; give the parameter a label, or remove the default value"
    )

    static func executionWithoutAsync(_ name: String) -> Self {
        Self("Only an action that suspends has an execution; write `func \(name)(…) async`")
    }

    static func executionNotLast(_ name: String) -> Self {
        Self("`Execution` comes last; write `func \(name)(…, _ execution: Execution) async`")
    }

    static func listedWithoutAsync(_ name: String) -> Self {
        Self("An action that cannot suspend has no executions to list; write `func \(name)(…) async`")
    }

    static func unknownID(_ names: [String]) -> Self {
        let remedy =
            names.isEmpty
            ? "add one" : "write " + names.map { "`id: \($0.asLiteral)`" }.joined(separator: " or ")
        return Self("`id` is the name of a parameter as a literal; \(remedy)")
    }

    static let idWithDefault = Self("The id of an execution cannot be left out; remove the default value")

    static let runsWithParameters = Self(
        "An action with params does not run by itself; call it in `init` with `$name.run(…)`, or remove the params"
    )

    static let specialType = Self(
        "Clients send and get plain values; write the type without `inout`, `…`, `!`, `some` and `->`"
    )

    static func parameterName(_ name: String) -> Self {
        Self("`\(name)` cannot be the name of a member of the params; write another name")
    }

    static func sameParameter(_ name: String) -> Self {
        Self("Two members of the params are called `\(name)`; give one another label")
    }

    static func nameOfGroup(_ name: String) -> Self {
        Self("@ViewModel writes a property `\(name)` for the members with attributes; write another name")
    }

    static func listAsField(_ name: String) -> Self {
        Self("A list is edited and not set as a whole; write `@Output var \(name)` and an `@Input func` for each edit")
    }

    static func listWithSetter(_ modifier: String) -> Self {
        Self("A list is edited and never set; remove `\(modifier)`. Clients cannot edit it")
    }

    static let rowsWithCall = Self("The list is created by the macro; write its rows as an array literal, or `= []`")
    static let persistence = Self("A value is saved in one place; write `.session`, `.user` or `.daemon`")
    static let computedPersistence = Self("A computed property is not saved; save the properties that it reads")

    static func childNotLet(_ name: String) -> Self {
        Self("A child lives as long as its parent; write `let \(name)`")
    }

    static let tupleParameter = Self(
        "A tuple has no names on the wire; write several parameters, or a struct with @Schemable"
    )

    static func bothForms(_ group: MemberGroup) -> Self {
        Self(
            "@ViewModel writes `\(group.typeName)` from the members with attributes; write all members of the class in "
                + "one form"
        )
    }
}
