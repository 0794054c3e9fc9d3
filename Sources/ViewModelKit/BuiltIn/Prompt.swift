/// Something that is shown to or asked of the person.
public struct Prompt: Codable, Equatable, Identifiable, Sendable {
    /// What a prompt is for.
    public enum Kind: String, Codable, CaseIterable, Sendable {
        /// Tells something that has to be acknowledged.
        case alert
        /// Asks for a choice.
        case confirm
        /// Asks for a text.
        case input
        /// Tells that work goes on; goes by itself.
        case busy
    }

    /// A button of a prompt.
    public struct Button: Codable, Equatable, Sendable {
        /// What pressing the button means.
        public enum Role: String, Codable, CaseIterable, Sendable {
            /// The usual choice.
            case `default`
            /// Leaves everything as it is.
            case cancel
            /// Something that cannot be taken back.
            case destructive
        }

        /// The button's id, unique in its prompt.
        public let id: String
        /// What stands on it.
        public let title: String
        /// What pressing it means.
        public let role: Role

        /// Makes a button.
        public init(id: String, title: String, role: Role = .default) {
            self.id = id
            self.title = title
            self.role = role
        }
    }

    /// The prompt's id, unique in its session.
    public let id: String
    /// What it is for.
    public let kind: Kind
    /// The question or the heading.
    public let title: String
    /// More text, if there is any.
    public let message: String?
    /// What can be answered.
    public let buttons: [Button]
}

/// A short message that nobody has to answer.
public struct Hint: Codable, Equatable, Sendable {
    /// How serious it is.
    public enum Level: String, Codable, CaseIterable, Sendable {
        /// Good to know.
        case info
        /// Something to look at.
        case warning
        /// Something failed.
        case error
    }

    /// What is said.
    public let text: String
    /// How serious it is.
    public let level: Level
}

/// What `prompter.answer` takes, and what an asking ViewModel gets.
public struct PromptAnswer: Codable, Equatable, Sendable {
    /// The id of the prompt.
    public let id: String
    /// The id of the button that was chosen; may be left out where there is one.
    public let button: String?
    /// The text that was asked for.
    public let text: String?
}
