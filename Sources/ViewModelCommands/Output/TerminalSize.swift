import Glibc
import UnixIO

/// The columns and rows of a terminal.
struct TerminalSize: Equatable {
    var columns: Int
    var rows: Int
}

extension TerminalSize {
    /// Reads the size of the terminal at the standard output; nil if there is no terminal.
    ///
    /// The variables `COLUMNS` and `LINES` precede the terminal's own numbers, as in other programs. A terminal without a
    /// size has 80 columns and 24 rows.
    init?() {
        guard isatty(STDOUT_FILENO) == 1 else { return nil }
        var size = winsize()
        if ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) != 0 { size = winsize() }
        let given = { (name: String) in ProcessText.variables[name].flatMap(Int.init).flatMap { $0 > 0 ? $0 : nil } }
        columns = given("COLUMNS") ?? (size.ws_col > 0 ? Int(size.ws_col) : 80)
        rows = given("LINES") ?? (size.ws_row > 0 ? Int(size.ws_row) : 24)
    }
}
