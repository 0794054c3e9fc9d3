import ViewModelKit

/// A text that is looked up when it is typed.
@ViewModel
final class Typing {
    @Field var text = ""
    /// A text that is not looked up.
    @Field var note = ""
    @Output private(set) var found: [String] = []

    private var length: Int { text.count }
    @Output private(set) var lengths = 0

    @Action(runs: .onChange(of: \Typing.text, after: .milliseconds(500))) private func look() { found.append(text) }

    @Action(runs: .onChange(of: \Typing.length, after: .seconds(1))) private func countLength() { lengths += 1 }

    /// Writes the text twice in one step.
    @Input func retype(_ text: String) {
        self.text = ""
        self.text = text
    }
}
