import SwiftDiagnostics

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
