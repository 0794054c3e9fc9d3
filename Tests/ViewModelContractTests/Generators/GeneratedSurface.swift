import ClientGenerators
import ViewModelContract

/// What a program writes to use a generated client, and what it stands for on the wire, read from the text of the client.
struct GeneratedSurface {
    /// The names with their meanings, such as `Lamp.move(from) is "from"`.
    private(set) var names: Set<String> = []
    /// The parameters of functions in Swift, in their order, with `=` at the end of one that has a default.
    private var parameters: [String: [String]] = [:]
    /// Whether the lines are those of the parameters of a function.
    private var isInParameters = false

    /// Reads the client of a language.
    init(_ contract: Contract, in language: String) {
        let files = ClientGenerator.all.first { $0.language == language }?.files(contract) ?? []
        var (owner, function) = ("", "")
        let lines = (files.first?.text ?? "").split(separator: "\n")
        for line in lines.drop(while: { !$0.contains(Self.start[language] ?? "") }) {
            let words = line.split(separator: " ").drop { ["export", "public", "indirect"].contains($0) }
            if line.first?.isWhitespace == false, let kind = words.first, Self.kinds.contains(String(kind)) {
                let name = words.dropFirst().first.map { $0.prefix { !"(:<".contains($0) } }
                (owner, function) = (name.map(String.init) ?? "", "")
            }
            if let head = line.prefixMatch(of: Self.function) { function = String(head.1) }
            let place = "\(owner).\(function)"
            switch language {
            case "python": readPython(line, place)
            case "swift": readSwift(line, place)
            default: readTypeScript(line, place)
            }
        }
    }

    /// Returns what a program that uses an older client misses.
    func missing(from old: GeneratedSurface) -> [String] {
        var missing = old.names.subtracting(names).sorted()
        for (function, former) in old.parameters {
            let later = parameters[function, default: []]
            var rest = former.map { $0.filter { $0 != "=" } }[...]
            for parameter in later {
                if parameter.filter({ $0 != "=" }) == rest.first {
                    rest.removeFirst()
                } else if !parameter.hasSuffix("=") {
                    missing.append("\(function) has the new parameter \(parameter)")
                }
            }
            if !rest.isEmpty { missing.append("\(function) has other labels: \(later), not \(former)") }
        }
        return missing
    }

    private static let kinds: Set = ["class", "enum", "extension", "interface", "struct"]
    /// The head of a function or a getter in a type.
    nonisolated(unsafe) private static let function =
        /(?:    |\t)(?:public |static |async )*(?:func |def |init|get )?`?([^\s(`]*)`?\(/

    private static let start = [
        "python": "# The contract of", "swift": "public import", "typescript": "// ---- The contract",
    ]

    private mutating func readPython(_ line: Substring, _ place: String) {
        for entry in line.matches(of: /"([^"\\]*)": (self\.)?([^\s,{}()"]+)/) {
            names.insert("\(place)(\(entry.3)) is \(entry.1)")
        }
        if line.contains("members.get(") {
            for entry in line.matches(of: /([^\s,(]+)=[^=]*?members\.get\("([^"]*)"\)/) {
                names.insert("\(place)(\(entry.1)) is \(entry.2)")
            }
        }
        if let read = line.firstMatch(of: /self\._read\("([^"]*)",/) { names.insert("\(place) is \(read.1)") }
        if let head = line.prefixMatch(of: /(?: {4})async def ([^\s(]+)\(self, ([^*]*)/), head.2.contains("="),
            !head.1.hasPrefix("open_")
        {
            names.insert("\(place) has positional parameters: \(head.2)")
        }
    }

    private mutating func readSwift(_ line: Substring, _ place: String) {
        for entry in line.matches(of: /\.(?:including|adding)\("([^"]*)", ([^)]*)\)/) {
            names.insert("\(place)(\(entry.2)) is \(entry.1)")
        }
        if let entry = line.firstMatch(of: /case "([^"]*)": self = (\S+)/) {
            names.insert("\(place) \(entry.2) is \(entry.1)")
        }
        if let entry = line.firstMatch(of: /self\.(\S+) = try values\.[a-z]+\("([^"]*)"/) {
            names.insert("\(place) \(entry.1) is \(entry.2)")
        }
        if let entry = line.wholeMatch(of: /(?: {8})case ([^\s("]+)(?: = (".*"))?/) {
            let name = entry.1.filter { $0 != "`" }
            names.insert("\(place) \(name) is \(entry.2.map(String.init) ?? "\"\(name)\"")")
        }
        if let head = line.firstMatch(of: /public (?:static )?func [^(]*\((.*)\) async/) {
            addParameters(head.1.split(separator: ", "), of: place)
        } else if line.contains("func "), line.hasSuffix("(") {
            isInParameters = true
        } else if isInParameters {
            let text = line.drop { $0 == " " }
            isInParameters = !text.hasPrefix(")")
            if isInParameters { addParameters([text.hasSuffix(",") ? text.dropLast() : text], of: place) }
        }
    }

    private mutating func addParameters(_ list: [Substring], of function: String) {
        for parameter in list where !parameter.hasPrefix("_ ") {
            let label = parameter.prefix { $0 != ":" } + (parameter.contains(" = ") ? "=" : "")
            parameters[function, default: []].append(String(label))
        }
    }

    private mutating func readTypeScript(_ line: Substring, _ place: String) {
        if let call = line.firstMatch(of: /this\.\$(?:input|action)\(("[^"]*")/) {
            names.insert("\(place) is \(call.1)")
        }
        if let member = line.prefixMatch(of: /\treadonly ("[^"]*"|[^\s:?]+)\??:/) {
            names.insert("\(place) has \(member.1)")
        }
    }
}
