import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

extension Diagnostic {
    /// Creates the report of a mistake, with the names in its sentence.
    init(
        _ node: some SyntaxProtocol,
        _ mistake: Mistake,
        _ names: String...,
        fix: FixIt? = nil,
        severity: DiagnosticSeverity = .error
    ) {
        self.init(node, mistake, names: names, fix, severity)
    }

    fileprivate init(
        _ node: some SyntaxProtocol,
        _ mistake: Mistake,
        names: [String],
        _ fix: FixIt?,
        _ severity: DiagnosticSeverity
    ) {
        let sentence = mistake.sentence(names)
        let message: any DiagnosticMessage =
            severity == .error ? MacroExpansionErrorMessage(sentence) : MacroExpansionWarningMessage(sentence)
        self.init(node: node, message: message, fixIts: fix.map { [$0] } ?? [])
    }

    /// Returns the report of an attribute on another declaration than it applies to.
    static func misplaced(_ attribute: String, at node: some SyntaxProtocol) -> Diagnostic {
        Diagnostic(node, .misplaced, attribute, targets[attribute] ?? "a property; write `@\(attribute) var …`")
    }

    /// The declarations to which the attributes apply.
    private static let targets = [
        "Action": "a function of a ViewModel; write `@Action func …`",
        "Bounds": "values that clients send: a property of a struct with @Schemable, a @Field, an @Input or an @Action",
        "Failure": "an enum, whose cases are the failures; write `enum`",
        "Formerly": "a property of a struct with @Schemable; write `formerly:` in the attribute of a saved property",
        "Input": "a function of a ViewModel; write `@Input func …`",
        "Policy": "an action; write it on a `let` in the struct `Actions` of a ViewModel",
        "Retryable": "a case of an enum with @Failure",
        "Schemable": "a struct or an enum; write `struct`, or write the conformance to `Schemable` by hand with "
            + "`static var schema: Schema { … }`",
        "SharedModel": "a final class; write `final class`",
        "Throws": "an action; write it on a `let` in the struct `Actions` of a ViewModel",
        "Volatile": "an output; write it before @Output, or on a `let` in the struct `Outputs` of a ViewModel",
    ]
}

extension [Diagnostic] {
    mutating func report(
        _ node: some SyntaxProtocol,
        _ mistake: Mistake,
        _ names: String...,
        fix: FixIt? = nil,
        severity: DiagnosticSeverity = .error
    ) {
        append(Diagnostic(node, mistake, names: names, fix, severity))
    }
}

extension FixIt {
    init(_ text: String, replacing old: some SyntaxProtocol, with new: some SyntaxProtocol) {
        let change = Change.replace(oldNode: Syntax(old), newNode: Syntax(new))
        self.init(message: MacroExpansionFixItMessage(text), changes: [change])
    }

    static func replacing(_ token: TokenSyntax, with kind: TokenKind, saying text: String? = nil) -> FixIt {
        let new = token.with(\.tokenKind, kind)
        return FixIt("write `\(text ?? new.text)`", replacing: token, with: new)
    }
}
