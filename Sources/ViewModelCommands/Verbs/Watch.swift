import ArgumentParser
import ViewModelClient

/// The verb `viewmodelctl watch INSTANCE [OUTPUT …]`.
struct Watch: Verb {
    static let configuration = CommandConfiguration(
        abstract: "Prints the picture of an instance, then each frame as it comes.",
        discussion: """
            One JSON line a frame:

              {"id":"calculator","seq":5,"full":false,"values":{"led":"1"},
               "events":[],"lost":0}

            values has the outputs that changed, each with its whole value, in the order of \
            the contract. full is true in a line with all outputs: the first line, and a line \
            after a reconnection that could not resume. events has the events as \
            [{output, value}, …], and lost is the number of older ones that were dropped. A \
            terminal shows a table instead.
            """
    )

    @OptionGroup(title: "Options of every verb") var globals: GlobalOptions
    @ParentCommand var root: ViewModelCtl

    @Argument(help: "The instance, for example calculator.")
    var instance: String

    @Argument(help: "The outputs. The default is all of them.")
    var outputs: [String] = []

    @Option(help: "End after this number of frames. The first picture does not count.")
    var count: Int?

    @Option(help: ArgumentHelp("The least time between two frames, in milliseconds.", valueName: "ms"))
    var throttle: Int?

    @OptionGroup var windows: WindowOptions

    @Flag(help: "Reconnect after a lost connection and resume.")
    var reconnect = false

    var reconnects: Bool { reconnect }

    func validate() throws {
        if let count, count < 0 { throw ValidationError("--count must be 0 or more") }
        if let throttle, throttle < 0 { throw ValidationError("--throttle must be 0 or more") }
    }

    func run(at context: CommandContext) async throws {
        let updates = context.client.bind(
            instance,
            outputs: outputs.isEmpty ? nil : outputs,
            windows: windows.byOutput,
            minInterval: throttle
        )
        var screen = LiveText(context.printer)
        var left = count
        var isFirst = true
        for try await update in updates {
            if context.printer.isText {
                try screen.show(update)
            } else {
                try context.printer.print(raw: try JSONWriter.text(of: WatchLine(update)))
            }
            if !isFirst { left = left.map { $0 - 1 } }
            isFirst = false
            if let left, left <= 0 { return }
        }
        throw CommandFailure.notFound("\(instance) was closed")
    }
}

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

/// The line that `viewmodelctl watch` writes for a frame.
struct WatchLine: Encodable {
    /// The id of the instance.
    let id: String
    /// The number of the step that led to these values.
    let seq: Int
    /// Whether `values` contains the whole picture.
    let full: Bool
    /// The current values of the changed outputs, in the order of the contract; a list is whole even if the frame has a
    /// patch for it.
    let values: JSONValue
    /// The events in order.
    let events: [OutputEvent]
    /// The number of older events that were dropped.
    let lost: Int

    init(_ update: BindingUpdate) {
        let change = update.change
        id = update.picture.id
        seq = update.picture.seq
        full = update.isFull
        values = .object(
            update.isFull
                ? update.picture.values : update.picture.values.filter { change.outputs.contains($0.key) }
        )
        events = change.events
        lost = change.lost
    }
}
