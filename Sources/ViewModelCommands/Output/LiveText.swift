import ViewModelClient

/// A table of a picture that is overwritten on a terminal and appended elsewhere.
struct LiveText {
    private let printer: Printer
    private var height = 0

    init(_ printer: Printer) {
        self.printer = printer
    }

    /// Writes the events and then the picture; the next update overwrites only the picture.
    mutating func show(_ update: BindingUpdate) throws {
        let events = update.change.events.map { "\($0.output)  \(ValueText.inline($0.value))\n" }.joined()
        let table = ValueText.block(.object(update.picture.values)) + "step \(update.picture.seq)\n"
        let back = printer.isTerminal && height > 0 ? "\u{1B}[\(height)A\u{1B}[J" : ""
        try printer.print(text: back + events + table)
        height = table.count { $0 == "\n" }
    }
}
