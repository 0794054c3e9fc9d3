import Testing
import ViewModelKit
import ViewModelTesting

@Suite struct `A question with two answers` {
    private let editor: Harness<Editor>

    init() throws {
        editor = try Harness(Editor.self)
    }

    @Test(arguments: [("ok", true), ("cancel", false)])
    func `returns whether the person agreed`(button: String, agrees: Bool) throws {
        let call = editor.start(\.$save)
        let prompt = try #require(editor.prompts.first)
        #expect(prompt.kind == .confirm)
        #expect(prompt.message == "It has changed.")
        #expect(prompt.buttons.map(\.title) == ["Save", "Cancel"])
        #expect(prompt.buttons.map(\.role) == [.default, .cancel])
        try editor.answer(prompt, button: button)
        #expect(try call.result() == agrees)
    }

    @Test func `marks what cannot be undone`() throws {
        let call = editor.start(\.$delete)
        let prompt = try #require(editor.prompts.first)
        #expect(prompt.buttons.map(\.id) == ["ok", "cancel"])
        #expect(prompt.buttons.map(\.title) == ["Delete", "Keep"])
        #expect(prompt.buttons.map(\.role) == [.destructive, .cancel])
        try editor.answer(prompt, button: "ok")
        #expect(try call.result() == true)
    }

    @Test func `goes with its action`() throws {
        let call = editor.start(\.$delete)
        call.cancel()
        #expect(call.answer == .cancelled)
        #expect(try editor.prompts.isEmpty)
    }
}

@Suite struct `Scenes as an enum` {
    @Test func `are registered, pushed and presented by their cases`() throws {
        var catalog = ViewModelCatalog()
        catalog.scenes(EditorScene.self)
        try catalog.host(Editor.self)
        let editor = try Harness(Editor.self, in: catalog)
        try editor.client.request("coordinator.open", ["scene": "about"])
        try editor.send(\.inputs.show)
        #expect(try editor.scenes.map(\.scene) == ["root", "about", "editor", "about"])
        #expect(try editor.scenes.map(\.style) == [.root, .push, .push, .present])
        #expect(try editor.scenes.map(\.instance) == [nil, nil, "editor", "other"])
        #expect(editor.client.begin("coordinator.open", ["scene": "abut"]).error?.code == .invalidParams)
    }
}

private enum EditorScene: String, SceneName {
    case editor, about

    var instance: String? { self == .editor ? "editor" : nil }
}

@ViewModel
private final class Editor {
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
