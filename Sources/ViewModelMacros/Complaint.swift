import SwiftDiagnostics
import SwiftSyntax

/// What is wrong with a ViewModel's declaration, and what to write instead.
struct Complaint: DiagnosticMessage {
    let id: String
    let message: String

    var diagnosticID: MessageID { MessageID(domain: "ViewModelMacros", id: id) }
    var severity: DiagnosticSeverity { .error }
}

/// What a fix-it does.
struct Remedy: FixItMessage {
    let message: String

    var fixItID: MessageID { MessageID(domain: "ViewModelMacros", id: message) }
}

// MARK: - The class

extension Complaint {
    static func notAClass(_ name: String) -> Complaint {
        Complaint(id: "notAClass", message: "@ViewModel applies to a final class; write `final class \(name)`")
    }

    static func notFinal(_ name: String) -> Complaint {
        Complaint(id: "notFinal", message: "A ViewModel is a final class; write `final class \(name)`")
    }

    static func generic(_ name: String) -> Complaint {
        Complaint(
            id: "generic",
            message:
                "A ViewModel has one contract, so it cannot be generic; write `final class \(name)` and hand what varies "
                + "to its initialiser"
        )
    }

    static let nameNotLiteral = Complaint(
        id: "nameNotLiteral",
        message:
            "The name is known when the code is compiled; write a string literal such as @ViewModel(\"calculator\")"
    )

    static func invalidName(_ name: String) -> Complaint {
        Complaint(
            id: "invalidName",
            message:
                "`\(name)` cannot be a name on the wire; write @ViewModel(\"…\") with a letter and up to 63 letters, "
                + "digits, `_` or `-` after it"
        )
    }

    static func reservedName(_ name: String) -> Complaint {
        Complaint(
            id: "reservedName",
            message: "The protocol keeps the name `\(name)` for itself; write @ViewModel(\"…\") with another one"
        )
    }
}

// MARK: - The faces

extension Complaint {
    static func faceNotAStruct(_ name: String) -> Complaint {
        Complaint(id: "faceNotAStruct", message: "`\(name)` is a struct; write `struct \(name)`")
    }

    static func noProperty(_ face: Face) -> Complaint {
        Complaint(
            id: "noProperty",
            message: "`\(face.typeName)` needs a stored property; write `let \(face.propertyName): \(face.typeName)`"
        )
    }

    static func noStruct(_ face: Face) -> Complaint {
        Complaint(
            id: "noStruct",
            message:
                "`\(face.propertyName)` is described by a nested struct; write `struct \(face.typeName) { … }` inside the "
                + "class, or give the property another name"
        )
    }

    static func propertyNotLet(_ face: Face) -> Complaint {
        Complaint(
            id: "propertyNotLet",
            message:
                "`\(face.propertyName)` is stored and never changes; write `let \(face.propertyName): \(face.typeName)`"
        )
    }

    static func propertyOfOtherType(_ face: Face) -> Complaint {
        Complaint(
            id: "propertyOfOtherType",
            message:
                "`\(face.propertyName)` holds the nested struct; write `let \(face.propertyName): \(face.typeName)`"
        )
    }
}

// MARK: - The members

extension Complaint {
    static func memberNotLet(_ name: String) -> Complaint {
        Complaint(id: "memberNotLet", message: "A member never changes, only its value does; write `let \(name)`")
    }

    static func memberComputed(_ name: String, _ face: Face) -> Complaint {
        Complaint(
            id: "memberComputed",
            message: "`\(face.typeName)` has stored members only; write `let \(name)` and set it in the initialiser"
        )
    }

    static func memberStatic(_ face: Face) -> Complaint {
        Complaint(
            id: "memberStatic",
            message:
                "`\(face.typeName)` has members of its instances only; write `let`, or move this out of `\(face.typeName)`"
        )
    }

    static func memberPrivate(_ face: Face) -> Complaint {
        Complaint(
            id: "memberPrivate",
            message:
                "Clients see each member of `\(face.typeName)`; write it without `private`, or move it to the class"
        )
    }

    static func notAMember(_ face: Face) -> Complaint {
        Complaint(
            id: "notAMember",
            message:
                "`\(face.typeName)` has only `let` members, each \(face.memberTypesInWords); write this in the class"
        )
    }

    static func conditional(_ face: Face) -> Complaint {
        Complaint(
            id: "conditional",
            message:
                "@ViewModel cannot tell which branch of `#if` counts; write the members of `\(face.typeName)` without it"
        )
    }

    static func pattern(_ face: Face) -> Complaint {
        Complaint(
            id: "pattern",
            message: "Each member of `\(face.typeName)` has its own name and type; write one `let` for each"
        )
    }

    static func memberOfOtherType(_ name: String, _ face: Face) -> Complaint {
        let types = (face.memberTypes ?? []).map { $0 == "Action" ? "Action<Parameters, Result>" : "\($0)<Value>" }
        return Complaint(
            id: "memberOfOtherType",
            message: "Each member of `\(face.typeName)` is \(face.memberTypesInWords); write "
                + types.map { "`let \(name): \($0)`" }.joined(separator: " or ")
        )
    }

    static func invalidMemberName(_ name: String) -> Complaint {
        Complaint(
            id: "invalidMemberName",
            message:
                "`\(name)` cannot be a member's name on the wire; write a lower-case letter and then only letters and "
                + "digits without accents"
        )
    }

    static func sameName(_ name: String, _ face: Face) -> Complaint {
        let rival = face.rival
        return Complaint(
            id: "sameName",
            message: "`\(rival.face.typeName)` has a member `\(name)`, too, and \(rival.reason); write another name"
        )
    }

    static let policyOfNoAction = Complaint(
        id: "policyOfNoAction",
        message: "@Policy applies to an action; write it on a `let` in the struct `Actions` of a ViewModel"
    )
}
