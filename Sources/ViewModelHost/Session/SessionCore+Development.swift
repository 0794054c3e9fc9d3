package import ViewModelKit

/// Hints to the author of a daemon, who runs it with `viewmodelctl dev`.
extension Host {
    /// Sends a hint to all clients that bind the prompter of their session.
    package func hint(_ text: String, level: Hint.Level) {
        for session in directory.living() {
            session.run { $0.hint([text], level: level) }
        }
    }
}

extension SessionCore {
    /// Sends hints to the clients that bind the prompter.
    func hint(_ texts: [String], level: Hint.Level) {
        guard !isEnded, let prompter = instancesByID.find("prompter")?.object as? Prompter else { return }
        graph.step {
            for text in texts { prompter.hint(text, level: level) }
        }
    }

    /// Tells the author that a saved value is not read completely.
    ///
    /// Values are restored before a client binds the prompter, so the hint may have to wait.
    func hintUnreadValue(_ name: String, _ problem: String) {
        developmentHints.append("The saved value of \(name) does not fit any more and is kept aside: \(problem)")
        if developmentHints.count == 1 { sendDevelopmentHints() }
    }

    /// Sends the hints about saved values, if the session has a prompter.
    ///
    /// The call that creates the prompter binds it after this method, so the hints follow that call.
    func sendDevelopmentHints() {
        guard let session else { return }
        loop.execute {
            let core = session.core
            guard !core.isEnded, core.instancesByID.find("prompter") != nil else { return }
            core.hint(core.developmentHints, level: .warning)
            core.developmentHints = []
        }
    }
}
