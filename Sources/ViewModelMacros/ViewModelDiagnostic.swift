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
