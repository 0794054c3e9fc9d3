import Testing
import ViewModelKit
import ViewModelTesting

@testable import Scenarios

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
