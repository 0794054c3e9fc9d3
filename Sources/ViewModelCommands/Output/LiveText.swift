import ViewModelClient

/// A table of a picture that is kept up to date: on a terminal in its place, elsewhere one below the other.
struct LiveText {
    private let printer: Printer
    private var height = 0

    init(_ printer: Printer) {
        self.printer = printer
    }

    /// Shows the picture, and events above it, where they stay.
    mutating func show(_ update: BindingUpdate) throws {
        let events = update.change.events.map { "\($0.output)  \(ValueText.inline($0.value))\n" }.joined()
        let table = ValueText.block(.object(update.picture.values)) + "step \(update.picture.seq)\n"
        let back = printer.isTerminal && height > 0 ? "\u{1B}[\(height)A\u{1B}[J" : ""
        try printer.print(text: back + events + table)
        height = table.count { $0 == "\n" }
    }
}
