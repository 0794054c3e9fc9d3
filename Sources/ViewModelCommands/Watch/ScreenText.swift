import ViewModelClient

/// The lines that a terminal of some size shows of a picture and its events.
struct ScreenText {
    /// The number of events that are kept.
    static let eventLimit = 100

    private let lines: [String]

    /// Creates the lines, which fit into the size.
    ///
    /// The picture is cut after the last line that fits, and the next line has the number of missing rows. The newest
    /// events take up to a quarter of the screen, more if the picture leaves more.
    init(_ picture: Picture, events: [OutputEvent], size: TerminalSize) {
        let table = ValueText.block(.object(picture.values), width: size.columns)
            .split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
        let status = "\(PlainText.of(picture.id)), step \(picture.seq)"
        let wanted = events.suffix(max(size.rows / 4, size.rows - table.count - 1))
            .map { PlainText.of($0.output) + "  " + ValueText.inline($0.value) }
        var shown = table
        let room = max(1, size.rows - wanted.count - 1)
        if table.count > room {
            let missing = table.dropFirst(room - 1)
            shown = table.prefix(room - 1) + ["… \(missing.count { $0.hasPrefix("|") }) more rows"]
        }
        lines = (shown + [status] + wanted).prefix(size.rows).map { DisplayWidth.cut($0, to: size.columns) }
    }

    /// The lines with line feeds, for the screen as it is left.
    var text: String { lines.map { $0 + "\n" }.joined() }

    /// The sequences that overwrite the screen, which does not scroll.
    var overwriting: String {
        "\u{1B}[H" + lines.map { "\u{1B}[2K" + $0 }.joined(separator: "\r\n") + "\u{1B}[J"
    }
}
