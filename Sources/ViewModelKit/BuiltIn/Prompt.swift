/// A question or a notice to the person.
@Schemable
public struct Prompt: Identifiable, Sendable {
    /// The purpose of a prompt.
    @Schemable
    public enum Kind: String, CaseIterable, Sendable {
        /// A notice that the person acknowledges.
        case alert
        /// A question with a choice of buttons.
        case confirm
        /// A question that the person answers with a text.
        case input
        /// A notice that work is in progress.
        ///
        /// The daemon removes it when the work ends.
        case busy
    }

    /// A button of a prompt.
    @Schemable
    public struct Button: Sendable {
        /// The meaning of a button.
        @Schemable
        public enum Role: String, CaseIterable, Sendable {
            /// The usual choice.
            case `default`
            /// Changes nothing.
            case cancel
            /// An effect that cannot be undone.
            case destructive
        }

        /// The button's id, unique in its prompt.
        public let id: String
        /// The text on the button.
        public let title: String
        /// The meaning of the button.
        public let role: Role

        /// Creates a button.
        public init(id: String, title: String, role: Role = .default) {
            self.id = id
            self.title = title
            self.role = role
        }

        static func cancel(_ title: String) -> Button { Button(id: "cancel", title: title, role: .cancel) }
    }

    /// The prompt's id, unique in its session.
    public let id: String
    /// The purpose of the prompt.
    public let kind: Kind
    /// The question or the heading.
    public let title: String
    /// More text, or null.
    public let message: String?
    /// The possible answers.
    public let buttons: [Button]
}

/// A short message that needs no answer.
@Schemable
public struct Hint: Sendable {
    /// The severity of a hint.
    @Schemable
    public enum Level: String, CaseIterable, Sendable {
        /// Information.
        case info
        /// A warning.
        case warning
        /// A failure.
        case error
    }

    /// The message.
    public let text: String
    /// The severity.
    public let level: Level
}

/// The params of `prompter.answer`, and the result for the ViewModel that showed the prompt.
@Schemable
package struct PromptAnswer: Sendable {
    /// The id of the prompt.
    package let id: String
    /// The id of the chosen button.
    ///
    /// It may be left out if the prompt has at most one button.
    package let button: String?
    /// The text of an answer to an `input` prompt.
    package let text: String?
}
