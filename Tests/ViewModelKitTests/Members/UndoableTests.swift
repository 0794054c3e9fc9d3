import Testing
import ViewModelKit
import ViewModelTesting

/// Edits a text with undo.
@ViewModel
private final class Editor {
    @Output var text: String { note.value }
    @State(.session) private var note = Undoable("", limit: 2)
    private var canUndo: Bool { note.canUndo }
    private var canRedo: Bool { note.canRedo }

    @Input func write(_ text: String) { note.value = text }
    @Action(enabled: \Editor.canUndo) func undo() { note.undo() }
    @Action(enabled: \Editor.canRedo) func redo() { note.redo() }
}

@Suite struct `An undoable value` {
    private let editor: Harness<Editor>

    init() throws {
        editor = try Harness(Editor.self)
    }

    @Test func `returns to former values and back`() throws {
        #expect(try !editor.isEnabled(\.actions.undo))
        try editor.send(\.inputs.write, "a")
        try editor.send(\.inputs.write, "ab")
        try editor.run(\.actions.undo)
        #expect(try editor.read(\.outputs.text) == "a")
        try editor.run(\.actions.undo)
        #expect(try editor.read(\.outputs.text) == "")
        #expect(try !editor.isEnabled(\.actions.undo))
        try editor.run(\.actions.redo)
        try editor.run(\.actions.redo)
        #expect(try editor.read(\.outputs.text) == "ab")
        #expect(try !editor.isEnabled(\.actions.redo))
    }

    @Test func `forgets what was undone with the next change, and the oldest values`() throws {
        for text in ["a", "b", "b", "c"] { try editor.send(\.inputs.write, text) }
        try editor.run(\.actions.undo)
        try editor.send(\.inputs.write, "d")
        #expect(try !editor.isEnabled(\.actions.redo))
        try editor.run(\.actions.undo)
        try editor.run(\.actions.undo)
        #expect(try editor.read(\.outputs.text) == "a")
        #expect(try !editor.isEnabled(\.actions.undo))
    }
}
