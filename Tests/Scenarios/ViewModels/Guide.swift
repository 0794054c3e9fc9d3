import ViewModelKit
import ViewModelTesting

/// A ViewModel that navigates and asks.
@ViewModel
final class Guide {
    struct Inputs {
        /// Pushes a scene.
        let push = Input<String>()
        /// Presents a scene.
        let present = Input<String>()
        /// Goes back.
        let back = Input<Void>()
        /// Gives a hint.
        let hint = Input<String>()
    }
    struct Actions {
        /// Asks for a choice.
        @Policy(.concurrent) let confirm: Action<Question, String>
        /// Asks for a text.
        @Policy(.concurrent) let input: Action<Question, String?>
        /// Tells something.
        @Policy(.concurrent) let alert: Action<Question, Void>
        /// Sleeps busily.
        let busy: Action<Void, Void>
        /// Tells and goes: the result comes with the navigation.
        let leave: Action<Void, String?>
    }

    /// What is asked.
    @Schemable
    struct Question {
        let title: String
    }

    let inputs = Inputs(), actions: Actions

    init(coordinator: Coordinator, prompter: Prompter, clock: SessionClock) {
        let buttons = [Prompt.Button(id: "yes", title: "Yes"), Prompt.Button(id: "no", title: "No", role: .cancel)]
        actions = Actions(
            confirm: Action { try await prompter.confirm($0.title, message: "Really?", buttons: buttons) },
            input: Action { try await prompter.input($0.title, buttons: buttons) },
            alert: Action { try await prompter.alert($0.title) },
            busy: Action { try await prompter.busy("Working") { try await clock.sleep(for: .seconds(1)) } },
            leave: Action { coordinator.push("left") }
        )
        inputs.push.sink { coordinator.push($0) }
        inputs.present.sink { coordinator.present($0) }
        inputs.back.sink { coordinator.back() }
        inputs.hint.sink { prompter.hint($0, level: .warning) }
    }
}
