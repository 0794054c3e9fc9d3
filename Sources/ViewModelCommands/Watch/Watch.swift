import ArgumentParser
import ViewModelClient

struct Watch: Verb {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Prints the picture of an instance, then each frame as it comes.",
        discussion: """
            One JSON line a frame:

              {"id":"calculator","seq":5,"full":false,"values":{"led":"1"},
               "events":[],"lost":0}

            values has the outputs that changed, each with its whole value, in the declared order. full is true in a \
            line with all outputs: the first line, and a line after a reconnection that could not resume. events has the \
            events as [{output, value}, …], and lost is the number of older ones that were dropped. A terminal shows \
            tables instead, and the newest events below them.

            With --reconnect and --connection two lines have another form: {"connection":"lost"} when the connection is \
            lost or the daemon is not there yet, and {"connection":"restored"} when it is back.

            With --exec the lines are not printed. The command, which /bin/sh runs, reads one from its standard input. \
            Its environment has VIEWMODEL_INSTANCE, VIEWMODEL_SEQ, VIEWMODEL_FULL, VIEWMODEL_LOST, VIEWMODEL_CHANGED and \
            VIEWMODEL_EVENTS (the names of outputs, between blanks), VIEWMODEL_SESSION, and VIEWMODELD_SOCKET. One \
            command runs at a time: the frames that come meanwhile are merged to one, with their newest 1024 events. A \
            failure of the command is reported, and the watch goes on. A command cannot use the terminal for its input.
            """
    )

    @OptionGroup(title: "Options of every verb") var options: GlobalOptions

    @Argument(help: "The instance, for example calculator.")
    var instance: String

    @Argument(help: "The outputs. The default is all of them.")
    var outputs: [String] = []

    @Option(parsing: .unconditional, help: "End after this number of frames. The first picture does not count.")
    var count: Int?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The least time between two frames, in milliseconds.", valueName: "ms")
    )
    var throttle: Int?

    @OptionGroup var windows: WindowOptions

    @Flag(name: .customLong("reconnect"), help: "Wait for the daemon, reconnect after a lost connection, and resume.")
    var reconnects = false

    @Flag(help: "Print a line when the connection is lost, and when it is back; with --reconnect.")
    var connection = false

    @Option(parsing: .unconditional, help: "Run a command for the first picture and for each frame.")
    var exec: String?

    @OptionGroup var secrets: SecretOptions

    func validate() throws {
        if let count, count < 0 { throw ValidationError("--count must be 0 or more") }
        if let throttle, throttle < 0 { throw ValidationError("--throttle must be 0 or more") }
        if connection, !reconnects { throw ValidationError("--connection needs --reconnect") }
        if connection, exec != nil { throw ValidationError("--connection prints lines, and --exec prints none") }
    }

    func connectionChanged(isLost: Bool) throws {
        if connection { try report(isLost: isLost, Printer(try options.format() ?? .auto)) }
    }

    private func report(isLost: Bool, _ printer: Printer) throws {
        let state = isLost ? "lost" : "restored"
        try printer.print(.object(["connection": .string(state)]), as: "connection \(state)\n")
    }

    func run(at context: CommandContext) async throws {
        guard connection else { return try await follow(context) }
        try await withThrowingTaskGroup(of: Bool.self) { group in
            defer { group.cancelAll() }
            group.addTask {
                try await follow(context)
                return true
            }
            group.addTask {
                var isLost = false
                for await state in context.client.connectionStates() {
                    if case .ended = state { break }
                    guard state.isConnected == isLost else { continue }
                    isLost.toggle()
                    try report(isLost: isLost, context.printer)
                }
                return false
            }
            while let isOver = try await group.next(), !isOver {}
        }
    }

    private func follow(_ context: CommandContext) async throws {
        let params = ViewModelBind.Params(
            id: instance,
            outputs: outputs.isEmpty ? nil : outputs,
            windows: windows.byOutput,
            minInterval: throttle
        )
        // A command runs for the newest update, and not for those that came while the one before ran.
        let buffered = exec == nil ? ViewModelBinding.mostBufferedUpdates : 1
        let updates = context.client.bind(params, bufferedUpdates: buffered)
        let filter = SecretFilter(context, secrets)
        if let exec {
            let command = FrameCommand(command: exec, socket: context.client.socket, session: options.session?.text)
            var status: Int32 = 0
            guard try await receive(updates, filter, { status = try await command.run($0) }) else {
                throw CommandFailure.notFound("The instance was closed")
            }
            guard status == 0 else { throw CommandFailure(.failed, "The last command has failed") }
        } else {
            try await OutputHangup.end { [self] in
                let isOver: Bool
                if !connection, context.printer.isText, let screen = LiveScreen(context.printer) {
                    isOver = try await screen.run { try await receive(updates, filter) { try await screen.show($0) } }
                } else {
                    isOver = try await receive(updates, filter) { try print($0, context.printer) }
                }
                if !isOver { throw CommandFailure.notFound("\(instance) was closed") }
            }
        }
    }

    /// Runs `body` for the updates without secrets, and returns true after the wanted number, or false at their end.
    private func receive(
        _ updates: ViewModelBinding,
        _ filter: SecretFilter,
        _ body: (BindingUpdate) async throws -> Void
    ) async throws -> Bool {
        // The first picture does not count.
        var received = -1
        for try await update in updates {
            try await body(try await filter.filtered(update))
            received += 1
            if let count, received >= count { return true }
        }
        return false
    }

    private func print(_ update: BindingUpdate, _ printer: Printer) throws {
        guard printer.isText else { return try printer.print(raw: try JSONWriter.text(of: WatchLine(update))) }
        let events = update.change.events.map { "\(PlainText.of($0.output))  \(ValueText.inline($0.value))\n" }
            .joined()
        let table = ValueText.block(.object(update.picture.values), width: printer.columns)
        try printer.print(text: events + table + "step \(update.picture.seq)\n")
    }
}
