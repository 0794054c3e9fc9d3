import ViewModelKit

/// A page for people who test clients: it has arguments, a child and values that are restored.
///
/// A named session restores its instances with their arguments after a restart of the daemon. No instance of `lab` is
/// restored.
@ViewModel
final class LabPage {
    /// The arguments of `viewModel.open`.
    @Schemable
    struct Arguments {
        /// The title of the page; without it `Untitled`.
        let title: String?
    }

    /// The title from the arguments.
    @Output var title: String { arguments.title ?? "Untitled" }
    /// The text of the page, which is restored.
    @Field(.session) var text = ""
    /// The text and the note of the child `margin` in one line.
    @Output var summary: String { margin.note.isEmpty ? text : "\(text) (\(margin.note))" }
    /// The margin of the page.
    @Child let margin: LabMargin

    private let arguments: Arguments

    init(_ arguments: Arguments) {
        self.arguments = arguments
        margin = LabMargin()
    }
}

/// The margin of a `labPage`, which exists only as its child `margin`.
@ViewModel
final class LabMargin {
    /// A note in the margin, which is restored; `summary` of the page changes in the same step.
    @Field(.session) var note = ""
    /// The number of characters of the note.
    @Output var length: Int { note.count }
}
