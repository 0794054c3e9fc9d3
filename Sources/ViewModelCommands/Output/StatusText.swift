import ViewModelClient

/// The daemon's health as a table for people, with readable units.
struct StatusText {
    let text: String

    /// Creates the table from the outputs of the ViewModel `daemon`, and omits missing values.
    init(_ values: JSONObject, width: Int?) {
        let storage = values["storage"]
        let socket = values["socket"]
        let rows: [(String, String?)] = [
            ("state", values["state"].map(ValueText.inline)),
            ("version", values["version"].map(ValueText.inline)),
            ("up for", values["uptimeSeconds"]?.intValue.map(Self.time)),
            ("sessions", values["sessions"].map(ValueText.inline)),
            ("connections", values["connections"].map(ValueText.inline)),
            ("instances", values["instances"].map(ValueText.inline)),
            ("memory", values["residentBytes"]?.intValue.map(Self.size)),
            ("storage", storage?["path"].map(ValueText.inline)),
            ("storage size", storage?["bytes"]?.intValue.map(Self.size)),
            ("storage state", storage?["healthy"]?.boolValue.map { $0 ? "healthy" : "cannot be written" }),
            ("socket", socket?["path"].map(ValueText.inline)),
            ("socket state", socket.flatMap(Self.socketState)),
        ]
        let unread = values["unreadValues"]?.arrayValue ?? []
        let unreadRows = unread.compactMap { entry -> [String]? in
            guard let value = entry["value"], let problem = entry["problem"] else { return nil }
            return ["kept aside", "\(ValueText.inline(value)): \(ValueText.inline(problem))"]
        }
        let known = rows.compactMap { name, value in value.map { [name, $0] } } + unreadRows
        text = Table.text(known, headers: ["daemon", "value"], width: width)
    }

    /// Returns whether clients find the socket, and how often they did not.
    private static func socketState(_ socket: JSONValue) -> String? {
        guard let isHealthy = socket["healthy"]?.boolValue, let losses = socket["losses"]?.intValue else { return nil }
        if !isHealthy { return "its file was removed or replaced" }
        return losses == 0 ? "healthy" : "healthy, made again \(losses == 1 ? "once" : "\(losses) times")"
    }

    /// Returns a time in its two largest units: `2 d 3 h`, `5 min 1 s`.
    static func time(_ seconds: Int) -> String {
        let units = [(86400, "d"), (3600, "h"), (60, "min"), (1, "s")]
        let first = units.firstIndex { seconds >= $0.0 } ?? units.count - 1
        var rest = seconds
        return units[first...].prefix(2).map { length, unit in
            defer { rest %= length }
            return "\(rest / length) \(unit)"
        }.joined(separator: " ")
    }

    /// Returns a size in the largest unit in which it is at least 1, with one digit after the point except for bytes.
    static func size(_ bytes: Int) -> String {
        let units = ["B", "KiB", "MiB", "GiB", "TiB"]
        var value = bytes * 10
        var unit = 0
        while value >= 10240, unit < units.count - 1 {
            value = (value + 512) / 1024
            unit += 1
        }
        return unit == 0 ? "\(bytes) B" : "\(value / 10).\(value % 10) \(units[unit])"
    }
}
