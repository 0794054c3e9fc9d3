import Glibc
import Synchronization
import UnixIO
import UnixSignals
import ViewModelClient

/// A picture on the alternate screen of a terminal, which never scrolls.
///
/// The last picture stays on the usual screen.
actor LiveScreen {
    private var picture: Picture?
    private var events: [OutputEvent] = []

    /// Creates a screen; nil if the printer has no terminal that can be overwritten.
    init?(_ printer: Printer) {
        guard printer.isTerminal, ProcessText.variables["TERM"] != "dumb" else { return nil }
    }

    /// Runs `body`, and then leaves the screen.
    ///
    /// When the terminal's size changes, the picture is drawn again.
    nonisolated func run<Result>(_ body: () async throws -> Result) async throws -> Result {
        async let _ = followSignals()
        do {
            let result = try await body()
            await end()
            return result
        } catch {
            await end()
            throw error
        }
    }

    func show(_ update: BindingUpdate) throws {
        if picture == nil { try AlternateScreen.enter() }
        picture = update.picture
        events = (events + update.change.events).suffix(ScreenText.eventLimit)
        try draw()
    }

    private func end() {
        guard picture != nil else { return }
        AlternateScreen.leave()
        if let text { try? Descriptor.output.write(Array(text.text.utf8)) }
    }

    private func followSignals() async {
        for await signal in await UnixSignalsSequence(trapping: .sigwinch, .sigcont) {
            if signal == .sigcont, picture != nil { try? AlternateScreen.enter() }
            try? draw()
        }
    }

    private var text: ScreenText? {
        guard let picture, let size = TerminalSize() else { return nil }
        return ScreenText(picture, events: events, size: size)
    }

    private func draw() throws {
        if let text { try Descriptor.output.write(Array(text.overwriting.utf8)) }
    }
}

/// The alternate screen of a terminal, which signals may end at any time.
enum AlternateScreen {
    private static let enterSequence = "\u{1B}[?1049h\u{1B}[?25l"
    /// Clears the screen first, for terminals without an alternate screen.
    private static let leaveSequence = "\u{1B}[H\u{1B}[J\u{1B}[?25h\u{1B}[?1049l"
    /// Does no harm if the alternate screen was left already.
    private static let abandonSequence: StaticString = "\u{1B}[?25h\u{1B}[?1049l"

    private static let isShown = Atomic(false)

    /// Initializes what ``abandon()`` reads, because the first use of a global is not safe in a signal handler.
    static func prepare() {
        _ = isShown.load(ordering: .relaxed)
        _ = abandonSequence.utf8CodeUnitCount
    }

    /// Enters the screen and hides the cursor.
    ///
    /// While the process is stopped by SIGTSTP, the terminal shows the usual screen. The caller enters again after SIGCONT.
    static func enter() throws {
        prepare()
        isShown.store(true, ordering: .sequentiallyConsistent)
        signal(SIGTSTP) { _ in
            let code = errno
            AlternateScreen.abandon()
            kill(getpid(), SIGSTOP)
            errno = code
        }
        try Descriptor.output.write(Array(enterSequence.utf8))
    }

    static func leave() {
        try? Descriptor.output.write(Array(leaveSequence.utf8))
        isShown.store(false, ordering: .sequentiallyConsistent)
        signal(SIGTSTP, SIG_DFL)
    }

    /// Leaves the screen, if it is shown, before the process is ended or stopped.
    ///
    /// It is safe in a signal handler. A terminal that takes no bytes is left as it is.
    static func abandon() {
        guard isShown.load(ordering: .sequentiallyConsistent) else { return }
        var request = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
        guard poll(&request, 1, 0) == 1, request.revents & Int16(POLLOUT) != 0 else { return }
        _ = write(STDOUT_FILENO, abandonSequence.utf8Start, abandonSequence.utf8CodeUnitCount)
    }
}
