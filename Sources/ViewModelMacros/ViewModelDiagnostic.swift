import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// A mistake in the declaration of a ViewModel or of a value on the wire, with the correct form in its message.
struct ViewModelDiagnostic: DiagnosticMessage {
    let message: String
    let severity: DiagnosticSeverity

    init(_ message: String, severity: DiagnosticSeverity = .error) {
        self.message = message
        self.severity = severity
    }

    var diagnosticID: MessageID { MessageID(domain: "ViewModelMacros", id: message) }
}

/// The message of a fix-it.
private struct FixItText: FixItMessage {
    let message: String

    var fixItID: MessageID { MessageID(domain: "ViewModelMacros", id: message) }
}

extension Diagnostic {
    /// Creates the report of a mistake.
    init(_ node: some SyntaxProtocol, _ mistake: ViewModelDiagnostic, _ fix: FixIt? = nil) {
        self.init(node: node, message: mistake, fixIts: fix.map { [$0] } ?? [])
    }
}

extension [Diagnostic] {
    /// Adds a mistake.
    mutating func report(_ node: some SyntaxProtocol, _ mistake: ViewModelDiagnostic, _ fix: FixIt? = nil) {
        append(Diagnostic(node, mistake, fix))
    }
}

extension MacroExpansionContext {
    /// Reports a mistake.
    func report(_ node: some SyntaxProtocol, _ mistake: ViewModelDiagnostic, _ fix: FixIt? = nil) {
        diagnose(Diagnostic(node, mistake, fix))
    }
}

extension FixIt {
    /// Creates a fix-it that replaces a node.
    init(_ text: String, replacing old: some SyntaxProtocol, with new: some SyntaxProtocol) {
        self.init(message: FixItText(message: text), changes: [.replace(oldNode: Syntax(old), newNode: Syntax(new))])
    }

    /// Returns a fix-it that replaces a token.
    static func replacing(_ token: TokenSyntax, with kind: TokenKind, saying text: String? = nil) -> FixIt {
        let new = token.with(\.tokenKind, kind)
        return FixIt("write `\(text ?? new.text)`", replacing: token, with: new)
    }
}
