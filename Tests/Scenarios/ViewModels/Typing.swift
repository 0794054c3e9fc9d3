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

    init() {
        debounce(\.text, for: .milliseconds(500)) { $0.look() }
        debounce(\.length, for: .seconds(1)) { $0.lengths += 1 }
    }

    private func look() { found.append(text) }

    /// Writes the text twice in one step.
    @Input func retype(_ text: String) {
        self.text = ""
        self.text = text
    }
}
