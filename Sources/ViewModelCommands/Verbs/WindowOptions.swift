import ArgumentParser
import ViewModelClient

struct WindowOptions: ParsableArguments {
    @Option(
        name: .customLong("window"),
        help: ArgumentHelp("Only these rows of a list.", valueName: "output=offset,limit"),
        transform: NamedWindow.init(parsing:)
    )
    var windows: [NamedWindow] = []

    var byOutput: [String: Window]? {
        windows.isEmpty ? nil : Dictionary(windows.map { ($0.output, $0.window) }) { $1 }
    }
}

struct NamedWindow: Equatable, Sendable {
    var output: String
    var window: Window

    /// Parses `OUTPUT=OFFSET,LIMIT`.
    init(parsing text: String) throws {
        let (name, value) = text.halves ?? ("", "")
        let numbers = value.split(separator: ",", omittingEmptySubsequences: false)
        guard !name.isEmpty, numbers.count == 2, let offset = Int(numbers[0]), let limit = Int(numbers[1]),
            offset >= 0, limit >= 0
        else { throw ValidationError("\"\(text)\" is not OUTPUT=OFFSET,LIMIT, as in rows=0,20") }
        output = String(name)
        window = Window(offset: offset, limit: limit)
    }
}
