import ViewModelKit

extension Lab {
    /// A row of `rows`.
    @Schemable
    struct Row: Identifiable {
        /// A number from 1 on, never used twice.
        let id: Int
        var text: String
    }

    /// The parameter of `update`.
    @Schemable
    struct RowText {
        let id: Int
        let text: String
    }

    /// The parameter of `move`.
    @Schemable
    struct Move {
        let from: Int
        let to: Int
    }

    /// The parameter of the sleeping actions.
    @Schemable
    struct Sleep {
        let milliseconds: Int
    }

    /// The result of the sleeping actions.
    @Schemable
    struct SleepResult {
        let slept: Int
        /// The number of completed sleeps including this one.
        let order: Int
    }

    /// The parameter of `fail`.
    @Schemable
    struct Failure {
        let error: String
        let retryable: Bool?
    }

    /// The parameter of `count`.
    @Schemable
    struct Count {
        let to: Int
        /// Milliseconds between two steps.
        let every: Int?
    }

    /// The parameter of `ask`.
    @Schemable
    struct Question {
        let title: String

        static var buttons: [Prompt.Button] {
            [.init(id: "ok", title: "OK"), .init(id: "cancel", title: "Cancel", role: .cancel)]
        }
    }

    /// The result of `ask`.
    @Schemable
    struct Choice {
        let button: String
    }

    /// The parameter of `open`.
    @Schemable
    struct SceneName {
        let scene: String
    }
}
