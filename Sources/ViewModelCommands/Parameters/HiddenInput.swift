#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A terminal at the standard input that does not show what is typed, until it is told to.
struct HiddenInput {
    private let shown: termios

    /// Hides what is typed from now on; nil where the standard input is no terminal.
    init?() {
        var shown = termios()
        guard tcgetattr(STDIN_FILENO, &shown) == 0 else { return nil }
        self.shown = shown
        var hidden = shown
        hidden.c_lflag &= ~tcflag_t(ECHO)
        // The line end is shown, so that what follows does not stand beside the question.
        hidden.c_lflag |= tcflag_t(ECHONL)
        tcsetattr(STDIN_FILENO, TCSADRAIN, &hidden)
    }

    /// Makes the terminal as it was.
    func end() {
        var shown = shown
        tcsetattr(STDIN_FILENO, TCSADRAIN, &shown)
    }
}
