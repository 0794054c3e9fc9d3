import ArgumentParser
import ViewModelClient

/// The options of a call that are sent as `_meta` (protocol, section 6).
struct MetaOptions: ParsableArguments, Sendable {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The milliseconds after which the daemon cancels the action, with exit code 6.",
            valueName: "ms"
        ),
        transform: wholeNumber(of: "milliseconds")
    )
    var deadline: Int?

    @Option(
        parsing: .unconditional,
        help: "A key that makes a retry safe: the daemon runs two calls with one key once."
    )
    var key: String?

    /// Returns params with the member `_meta`; without options the params are returned unchanged.
    ///
    /// An array `[V]` becomes `{"value": V}`.
    func adding(to params: [UInt8]?) throws(CommandFailure) -> [UInt8]? {
        guard deadline != nil || key != nil else { return params }
        var meta = JSONObject()
        meta["deadline"] = deadline.map(JSONValue.integer)
        meta["key"] = key.map(JSONValue.string)
        var members = JSONObject()
        switch params.flatMap(JSONValue.init(text:)) {
        case .object(let object): members = object
        case .array(let elements) where elements.count == 1: members["value"] = elements[0]
        case .array(let elements) where elements.count > 1:
            throw .usage("--deadline and --key need params by name", remedy: "Write a JSON object")
        default: break
        }
        guard members["_meta"] == nil else { throw .usage("The params have _meta already") }
        members["_meta"] = .object(meta)
        return JSONValue.object(members).text
    }
}
