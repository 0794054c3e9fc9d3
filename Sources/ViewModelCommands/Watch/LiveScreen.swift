import UnixSignals
import ViewModelClient

/// A picture on the alternate screen of a terminal, which never scrolls.
///
/// The last picture stays on the usual screen.
actor LiveScreen {
    private static let enter = "\u{1B}[?1049h\u{1B}[?25l"
    private static let leave = "\u{1B}[H\u{1B}[J\u{1B}[?25h\u{1B}[?1049l"

    private let printer: Printer
    private var picture: Picture?
    private var events: [OutputEvent] = []

    /// Creates a screen; nil if the printer has no terminal that can be overwritten.
    init?(_ printer: Printer) {
        guard printer.isTerminal, ProcessEnvironment.current["TERM"] != "dumb" else { return nil }
        self.printer = printer
    }

    /// Runs `body`, and then leaves the screen.
    ///
    /// When the terminal's size changes, the picture is drawn again.
    nonisolated func run(_ body: @escaping @Sendable () async throws -> Void) async throws {
        let result: Result<Void, any Error>
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await body() }
                group.addTask {
                    await self.followSignals()
                    try Task.checkCancellation()
                }
                defer { group.cancelAll() }
                try await group.next()
            }
            result = .success(())
        } catch {
            result = .failure(error)
        }
        await end()
        try result.get()
    }

    /// Shows an update.
    func show(_ update: BindingUpdate) throws {
        if picture == nil { try printer.output.write(Array(Self.enter.utf8)) }
        picture = update.picture
        events = (events + update.change.events).suffix(ScreenText.eventLimit)
        try draw()
    }

    private func end() {
        guard let text else { return }
        try? printer.output.write(Array((Self.leave + text.text).utf8))
    }

    private func followSignals() async {
        for await signal in await UnixSignalsSequence(trapping: .sigwinch, .sigcont) {
            if signal == .sigcont, picture != nil { try? printer.output.write(Array(Self.enter.utf8)) }
            try? draw()
        }
        // Without signals the screen stays as it is until the body ends.
        while !Task.isCancelled { try? await Task.sleep(for: .seconds(3600)) }
    }

    private var text: ScreenText? {
        guard let picture, let size = TerminalSize(of: printer.output.number) else { return nil }
        return ScreenText(picture, events: events, size: size)
    }

    private func draw() throws {
        if let text { try printer.output.write(Array(text.overwriting.utf8)) }
    }
}
