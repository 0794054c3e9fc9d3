import ViewModelKit

/// The scenes of an editor.
enum EditorScene: String, SceneName {
    case editor, about

    var instance: String? { self == .editor ? "editor" : nil }
}

/// Asks two questions, and shows its scenes.
@ViewModel
final class Editor {
    private let prompter: Prompter
    private let coordinator: Coordinator

    init(prompter: Prompter, coordinator: Coordinator) {
        self.prompter = prompter
        self.coordinator = coordinator
    }

    @Action func save() async throws -> Bool {
        try await prompter.confirm("Save?", message: "It has changed.", accept: "Save")
    }

    @Action func delete() async throws -> Bool {
        try await prompter.confirm("Delete?", destructive: "Delete", cancel: "Keep")
    }

    @Input func show() {
        coordinator.push(EditorScene.editor)
        coordinator.present(EditorScene.about, instance: "other")
    }
}
