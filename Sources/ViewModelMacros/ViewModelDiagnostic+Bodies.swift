import SwiftDiagnostics

/// Mistakes in the bodies of actions and initialisers.
extension ViewModelDiagnostic {
    static func captureList(_ severity: DiagnosticSeverity) -> Self {
        Self(
            "In Swift 6.3 a closure that suspends and has a capture list leaves the session; remove the list, the "
                + "framework releases the closure with the instance",
            severity: severity
        )
    }

    static func localAsyncFunction(_ name: String) -> Self {
        Self(
            "In Swift 6.3 a local `async` function that captures can leave the session; write `\(name)` as a method, "
                + "or move its body into the action",
            severity: .warning
        )
    }

    static let ownTask = Self(
        "A task of its own leaves the session; write an action and call its `run()`",
        severity: .warning
    )

    static func incompleteOwner(_ method: String?) -> Self {
        let use = method.map { "`\($0)` is a method of `self`, which" } ?? "`self`"
        return Self(
            "\(use) is not complete before the last group is assigned; write the members in the short form, or move "
                + "\(method.map { "`\($0)`" } ?? "the code") to a model that `init` creates"
        )
    }

    static func cellAsOutput(_ name: String, _ type: String) -> Self {
        Self("Clients see an output, not the value behind it; write `\(type)(\(name))`")
    }
}
