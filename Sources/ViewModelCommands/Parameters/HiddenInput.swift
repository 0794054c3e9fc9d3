import Glibc

/// A terminal at the standard input whose echo is off until ``end()``.
struct HiddenInput {
    private let shown: termios

    /// Turns the echo off; fails if the standard input is not a terminal.
    init?() {
        var shown = termios()
        guard tcgetattr(STDIN_FILENO, &shown) == 0 else { return nil }
        self.shown = shown
        var hidden = shown
        hidden.c_lflag &= ~tcflag_t(ECHO)
        // Echo the line end, so that the next output starts on a new line.
        hidden.c_lflag |= tcflag_t(ECHONL)
        tcsetattr(STDIN_FILENO, TCSADRAIN, &hidden)
    }

    /// Restores the terminal's settings.
    func end() {
        var shown = shown
        tcsetattr(STDIN_FILENO, TCSADRAIN, &shown)
    }
}
