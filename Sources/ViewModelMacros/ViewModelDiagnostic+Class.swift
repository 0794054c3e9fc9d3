import SwiftDiagnostics

// MARK: - The class

extension ViewModelDiagnostic {
    static func notAClass(_ name: String) -> Self {
        Self("@ViewModel applies to a final class; write `final class \(name)`")
    }

    static func notFinal(_ name: String) -> Self {
        Self("A ViewModel is a final class; write `final class \(name)`")
    }

    static func generic(_ name: String) -> Self {
        Self(
            "A ViewModel has one contract, so it cannot be generic; write `final class \(name)` and pass the varying part "
                + "to its initialiser"
        )
    }

    static let nameNotLiteral = Self(
        "The name is known when the code is compiled; write a string literal such as @ViewModel(\"calculator\")"
    )

    static func invalidName(_ name: String) -> Self {
        Self(
            "`\(name)` cannot be a name on the wire; write @ViewModel(\"…\") with a letter and up to 63 letters, "
                + "digits, `_` or `-` after it"
        )
    }

    static func reservedName(_ name: String) -> Self {
        Self("The protocol keeps the name `\(name)` for itself; write @ViewModel(\"…\") with another one")
    }
}

// MARK: - The groups

extension ViewModelDiagnostic {
    static func groupNotAStruct(_ name: String) -> Self {
        Self("`\(name)` is a struct; write `struct \(name)`")
    }

    static func missingProperty(_ group: MemberGroup) -> Self {
        Self("`\(group.typeName)` needs a stored property; write `let \(group.propertyName): \(group.typeName)`")
    }

    static func missingStruct(_ group: MemberGroup) -> Self {
        Self(
            "`\(group.propertyName)` is described by a nested struct; write `struct \(group.typeName) { … }` inside the "
                + "class, or give the property another name"
        )
    }

    static func propertyNotLet(_ group: MemberGroup) -> Self {
        Self(
            "`\(group.propertyName)` is stored and never changes; write `let \(group.propertyName): \(group.typeName)`"
        )
    }

    static func propertyOfOtherType(_ group: MemberGroup) -> Self {
        Self("`\(group.propertyName)` holds the nested struct; write `let \(group.propertyName): \(group.typeName)`")
    }
}
