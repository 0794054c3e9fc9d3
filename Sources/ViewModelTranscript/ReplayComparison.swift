import ViewModelContract
import ViewModelProtocol

/// A comparison of recorded values with those of a replay.
///
/// Ids that a daemon makes at random, in the form of a UUID, are equal if they stand for each other everywhere. Values that
/// differ by nature, that are declared as volatile, or that the person ignores, are not compared.
struct ReplayComparison {
    private let contract: Contract
    /// The outputs and methods that are not compared.
    private let ignored: Set<String>
    /// The types of the instances that clients have opened, by the ids that they chose.
    private let opened: [String: Set<String>]
    private let pseudonyms: [ExactString: String]
    /// The ids of the replay by those of the transcript.
    private(set) var ids: [String: String] = [:]
    private var recordedIDs: [String: String] = [:]
    private var differences: [ReplayDifference.Member] = []

    init(
        _ contract: Contract,
        ignoring ignored: Set<String>,
        opened: [String: Set<String>],
        secrets: [String: String]
    ) {
        self.contract = contract
        self.ignored = ignored
        self.opened = opened
        pseudonyms = Dictionary(secrets.map { (ExactString($0.value), $0.key) }) { first, _ in first }
    }

    /// Returns the differences that a closure finds.
    ///
    /// If it finds none, the ids that it has matched are kept.
    mutating func differences(_ compare: (inout Self) -> Void) -> [ReplayDifference.Member] {
        var tried = self
        compare(&tried)
        if tried.differences.isEmpty { self = tried }
        return tried.differences
    }

    // MARK: Pictures

    mutating func add(picture recorded: JSONObject, _ now: JSONObject, of instance: String) {
        for output in Self.names(of: recorded, now) where !isVolatile(output, of: instance) {
            add(recorded[output], plain(now[output]), at: "\(instance).\(output)")
        }
    }

    private func isVolatile(_ output: String, of instance: String) -> Bool {
        output.hasSuffix(".progress") || isIgnored(output, of: instance)
            || types(of: instance).contains { $0.output(output)?.isVolatile == true }
    }

    /// Whether the person has named a member, with its instance or with its type.
    private func isIgnored(_ member: String, of instance: String) -> Bool {
        guard !ignored.isEmpty else { return false }
        return ignored.contains("\(instance).\(member)")
            || types(of: instance).contains { ignored.contains("\($0.name).\(member)") }
    }

    private func types(of instance: String) -> [ContractType] { contract.types(of: instance, opened: opened) }

    // MARK: Replies

    mutating func add(reply recorded: JSONValue, _ now: JSONValue, to method: String) {
        let path = MemberPath(method: method)
        if ignored.contains(method) { return }
        if let path, isIgnored(path.member, of: path.instance) { return }
        if let left = recorded["error"], let right = now["error"] { return add(error: left, right) }
        guard let left = recorded["result"], let right = now["result"] else {
            let (left, right) = (recorded["result"] ?? recorded["error"], now["result"] ?? now["error"])
            return add(left, plain(right), at: "reply")
        }
        switch method {
        // The names, the epoch and the versions differ by nature. The picture of a binding is compared by itself.
        case SessionAttach.name, SessionList.name, RPCDiscover.name, ViewModelBind.name: return
        case ViewModelRead.name:
            add(
                picture: left["values"]?.objectValue ?? [:],
                right["values"]?.objectValue ?? [:],
                of: left["id"]?.stringValue ?? ""
            )
        case _ where isInput(method, path): return
        default: add(left, plain(right), at: "result")
        }
    }

    private mutating func add(error left: JSONValue, _ right: JSONValue) {
        add(left["code"], right["code"], at: "error.code")
        if left["code"]?.intValue == ErrorCode.internalError.rawValue { return }
        // The daemon quotes the pseudonym that was sent, and not the secret for which it stands.
        let isQuoteHidden = left["data"]?["found"]?.stringValue?.hasPrefix(Pseudonyms.prefix) == true
        var hidden: Set<String> = isQuoteHidden ? ["found"] : []
        // No name resembles the pseudonym of a mistyped one.
        let path = left["data"]?["path"]?.stringValue ?? ""
        if path.contains("/" + Pseudonyms.prefix) { hidden.insert("suggestions") }
        add(
            Self.comparable(left["data"], without: hidden),
            Self.comparable(plain(right["data"]), without: hidden),
            at: "error.data"
        )
    }

    /// Returns the data of an error without the names of sessions and without some members.
    private static func comparable(_ data: JSONValue?, without hidden: Set<String>) -> JSONValue? {
        guard var members = data?.objectValue else { return data }
        for name in hidden { members[name] = nil }
        if members["session"] != nil { members["suggestions"] = nil }
        members["session"] = nil
        members["offset"] = nil
        return .object(members)
    }

    private func isInput(_ method: String, _ path: MemberPath?) -> Bool {
        if MockInput(method, in: contract) != nil { return true }
        guard let path else { return false }
        return types(of: path.instance).contains { $0.input(path.member) != nil }
    }

    // MARK: Values

    /// Returns a value of the replay with pseudonyms in place of the given secrets.
    private func plain(_ value: JSONValue?) -> JSONValue? {
        guard !pseudonyms.isEmpty else { return value }
        return value?.mappingStrings { pseudonyms[ExactString($0)] ?? $0 }
    }

    /// Adds the differences of two values at a path.
    private mutating func add(_ recorded: JSONValue?, _ now: JSONValue?, at path: String) {
        switch (recorded, now) {
        case (.object(let left)?, .object(let right)?):
            for name in Self.names(of: left, right) { add(left[name], right[name], at: "\(path).\(name)") }
        case (.array(let left)?, .array(let right)?):
            for index in 0..<max(left.count, right.count) {
                add(
                    left.indices.contains(index) ? left[index] : nil,
                    right.indices.contains(index) ? right[index] : nil,
                    at: "\(path).\(index)"
                )
            }
        case (.string(let left)?, .string(let right)?)
        where left != right && Self.areIDs(left, right) && (ids[left] ?? right) == right:
            if ids[left] == nil, recordedIDs[right] != nil { return report(recorded, now, path) }
            ids[left] = right
            recordedIDs[right] = left
        default: if recorded != now { report(recorded, now, path) }
        }
    }

    private mutating func report(_ recorded: JSONValue?, _ now: JSONValue?, _ path: String) {
        differences.append(.init(path: path, recorded: recorded?.description, now: now?.description))
    }

    private static func names(of left: JSONObject, _ right: JSONObject) -> [String] {
        left.merging(right).keys.sorted()
    }

    private static func areIDs(_ left: String, _ right: String) -> Bool {
        let id = /[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}/
        return left.wholeMatch(of: id) != nil && right.wholeMatch(of: id) != nil
    }
}
