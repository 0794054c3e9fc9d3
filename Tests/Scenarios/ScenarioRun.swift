import Foundation
import JSONRPC
import ViewModelHost
import ViewModelProtocol
import ViewModelTesting

/// Why a scenario failed, with the line of its table.
package struct ScenarioFailure: Error, CustomStringConvertible {
    package let description: String

    init(_ step: Scenario.Step, _ reason: String) {
        description = "\(step.place): \(step.text)\n\(reason)"
    }
}

/// One run of a scenario.
package final class ScenarioRun {
    private let scenario: Scenario
    private let setup: ScenarioSetup
    private let world: any ScenarioWorld
    private var clients: [(name: String, client: Client)] = []
    private var variables: [String: JSONValue] = [:]

    package init(_ scenario: Scenario, _ setup: ScenarioSetup, in world: any ScenarioWorld) {
        self.scenario = scenario
        self.setup = setup
        self.world = world
    }

    /// Runs all steps, then expects that no client has received anything else.
    package func run() throws {
        for step in scenario.steps { try run(step) }
        guard let last = scenario.steps.last else { return }
        for (name, client) in clients where !client.isClosed { try expectNothing(client, last, "\(name): ") }
        for (_, client) in clients where !client.isClosed { client.connection.close() }
    }

    // MARK: Steps

    private func run(_ step: Scenario.Step) throws {
        let words = step.words
        switch words.first ?? "" {
        case "in", "with", "saves", "heedless": break
        case "client": try connect(step)
        case "advance": world.advance(by: try Self.duration(step))
        case "restart":
            world.harness?.restart()
            clients = []
        case "stop": world.harness.map { harness in harness.loop.run { harness.host.beginStopping() } }
        case "work": try completeWork(step)
        case "order": try completeOrder(step)
        default: if try !world.perform(step) { try runClient(step) }
        }
    }

    /// A step of a client, or of several that attach.
    private func runClient(_ step: Scenario.Step) throws {
        let words = step.words
        guard words.count > 1 else { throw ScenarioFailure(step, "no such step") }
        try waitForMessages(of: clients.filter { $0.name != words[0] }, step)
        if let verb = words.firstIndex(of: "attach") {
            guard words.count > verb + 1 else { throw ScenarioFailure(step, "attach to what?") }
            let linger = words.count > verb + 3 ? #","linger":\#(words[verb + 3])"# : ""
            for name in words[..<verb] {
                let params = #"{"session":"\#(words[verb + 1])"\#(linger)}"#
                try expect("=> _", try request("session.attach", params, by: try client(name), step), step)
            }
            return
        }
        let client = try client(words[0])
        let last = words[words.count - 1]
        switch words[1] {
        case "starts": try send(words[3], step.rest, id: words[2], by: client, step)
        case "notifies": try send(words[2], step.rest, id: nil, by: client, step)
        case "sends": client.send(String(step.text.dropFirst(words[0].count + 7)))
        case "cancels": client.send(Self.message("$/cancelRequest", #"{"id":"\#(last)"}"#, id: nil))
        case "gets": try expectNext(client, step)
        case "sees": try expectFrame(client, step)
        case "shows":
            guard let picture = client.pictures[Self.binding(last)] else {
                throw ScenarioFailure(step, "\(last) is not bound")
            }
            try expect("=> " + step.rest.dropLast() + ",...}", ["result": .object(picture.values)], step)
        case "reads":
            let wanted = try pattern(step.rest, step)
            let outputs = JSONValue.array(wanted.value.objectValue?.map { .string($0.key) } ?? [])
            let reply = try request("viewModel.read", #"{"id":"\#(last)","outputs":\#(outputs)}"#, by: client, step)
            guard let values = reply["result"]?["values"] else { throw ScenarioFailure(step, "\(reply)") }
            try expect("=> " + step.rest, ["result": values], step)
        case "closes":
            client.connection.close()
            client.isClosed = true
        case "ends":
            client.connection.endInput()
            client.isAhead = false
        case "is":
            if let message = try client.next() { throw ScenarioFailure(step, "\(message) came") }
            guard client.connection.isFinished else { throw ScenarioFailure(step, "the connection goes on") }
            client.isClosed = true
        case "stalls": client.connection.takesFrames = false
        case "takes": client.connection.takesFrames = true
        default:
            let (params, expected) = Self.split(step.rest)
            for params in params.split(separator: "; ", omittingEmptySubsequences: false) {
                try expect(expected, try request(words[1], String(params), by: client, step), step)
            }
        }
    }

    /// The binding of `INSTANCE` or `INSTANCE#TAG`.
    private static func binding(_ text: String) -> BindingKey {
        let parts = text.split(separator: "#", maxSplits: 1).map(String.init)
        return BindingKey(instance: parts[0], tag: parts.count > 1 ? parts[1] : nil)
    }

    // MARK: Clients

    private final class Client {
        let connection: any ScenarioConnection
        var inbox: [JSONValue] = []
        var pictures: [BindingKey: Picture] = [:]
        var isClosed = false
        /// Whether it has sent a message for whose effects nobody has waited.
        var isAhead = false
        private var binds: [JSONValue: JSONValue] = [:]

        init(_ connection: any ScenarioConnection) { self.connection = connection }

        func send(_ text: String) {
            isAhead = true
            connection.send(text)
        }

        func next() throws -> JSONValue? {
            if !inbox.isEmpty { return inbox.removeFirst() }
            return try receive()
        }

        func sent(_ id: JSONValue, _ method: String) {
            if method == ViewModelBind.name { binds[id] = true }
        }

        func receive() throws -> JSONValue? {
            guard let message = try connection.receive() else { return nil }
            if let id = message["id"], binds[id] != nil, let result = message["result"] {
                let bound = try result.decoded(as: ViewModelBind.Result.self)
                let key = BindingKey(instance: bound.id, tag: bound.tag)
                if !bound.full, pictures[key] != nil {
                    try pictures[key]?.apply(bound)
                } else {
                    pictures[key] = Picture(bound)
                }
            } else if message["method"] == .string(ViewModelChanged.name) {
                let frame = try (message["params"] ?? .null).decoded(as: ViewModelChanged.Params.self)
                try pictures[frame.key]?.apply(frame)
            }
            return message
        }
    }

    private func client(_ name: String) throws -> Client {
        if let known = clients.first(where: { $0.name == name }) { return known.client }
        let client = Client(try world.connect(name, uid: 1000, scope: .act))
        clients.append((name, client))
        return client
    }

    /// `client NAME uid N scope WORD`.
    private func connect(_ step: Scenario.Step) throws {
        guard step.words.count == 6, let uid = UInt32(step.words[3]), let scope = AccessScope(rawValue: step.words[5])
        else { throw ScenarioFailure(step, "client NAME uid N scope WORD") }
        clients.append((step.words[1], Client(try world.connect(step.words[1], uid: uid, scope: scope))))
    }

    // MARK: Requests

    private var lastID = 0

    private static func message(_ method: String, _ params: String, id: JSONValue?) -> String {
        let member = id.map { #""id":\#($0),"# } ?? ""
        return #"{"jsonrpc":"2.0",\#(member)"method":"\#(method)""# + (params.isEmpty ? "}" : #","params":\#(params)}"#)
    }

    private func send(_ method: String, _ params: String, id: String?, by client: Client, _ step: Scenario.Step) throws
    {
        let params = params.isEmpty ? "" : try pattern(params, step).filled(with: variables).description
        let id = id.map { JSONValue.string($0) }
        if let id { client.sent(id, method) }
        client.send(Self.message(method, params, id: id))
    }

    /// Sends a request and returns its reply; what comes before it is kept for later steps.
    private func request(
        _ method: String,
        _ params: String,
        by client: Client,
        _ step: Scenario.Step
    ) throws -> JSONValue {
        lastID += 1
        try send(method, params, id: "\(lastID)", by: client, step)
        return try reply(.string("\(lastID)"), client, step)
    }

    private func reply(_ id: JSONValue, _ client: Client, _ step: Scenario.Step) throws -> JSONValue {
        while let message = try client.receive() {
            if message["id"] == id {
                client.isAhead = false
                return message
            }
            client.inbox.append(message)
        }
        throw ScenarioFailure(step, "no reply, but \(client.inbox)")
    }

    /// Waits until the server has done what these clients have sent.
    ///
    /// Otherwise the work that a call asks for could end before the server has read the call.
    private func waitForMessages(of clients: [(name: String, client: Client)], _ step: Scenario.Step) throws {
        guard !world.isSettled else { return }
        for (_, client) in clients where client.isAhead && !client.isClosed {
            // The server may have closed the connection instead.
            _ = try? request("viewModel.list", "", by: client, step)
            client.isAhead = false
        }
    }

    // MARK: Expectations

    /// Splits `PARAMS => PATTERN`.
    private static func split(_ text: String) -> (params: String, expected: String) {
        for arrow in ["=> ", "=! "] {
            guard let range = text.range(of: arrow, options: .backwards) else { continue }
            let params = text[..<range.lowerBound].split(separator: " ", omittingEmptySubsequences: false)
            return (params.joined(separator: " "), String(text[range.lowerBound...]))
        }
        return (text, "=> _")
    }

    private func pattern(_ text: String, _ step: Scenario.Step) throws -> Pattern {
        guard let pattern = Pattern(text) else { throw ScenarioFailure(step, "\(text) is not JSON") }
        return pattern
    }

    /// Expects `=> RESULT`, or `=! CODE DATA`, of a reply.
    private func expect(_ expected: String, _ reply: JSONValue, _ step: Scenario.Step) throws {
        if expected.hasPrefix("=! ") {
            let parts = expected.dropFirst(3).split(separator: " ", maxSplits: 1)
            guard let code = parts.first, reply["error"]?["code"]?.description == String(code) else {
                throw ScenarioFailure(step, "the reply is \(reply)")
            }
            guard parts.count == 2 else { return }
            try match(String(parts[1]), reply["error"]?["data"] ?? .null, step)
        } else {
            guard let result = reply["result"] else { throw ScenarioFailure(step, "the reply is \(reply)") }
            try match(String(expected.dropFirst(3)), result, step)
        }
    }

    private func match(_ text: String, _ found: JSONValue, _ step: Scenario.Step) throws {
        if let difference = try pattern(text, step).difference(to: found, &variables) {
            throw ScenarioFailure(step, difference)
        }
    }

    /// `NAME gets nothing`, `NAME gets PATTERN`, `NAME gets METHOD PATTERN`, `NAME gets ID => RESULT`.
    private func expectNext(_ client: Client, _ step: Scenario.Step) throws {
        guard step.words.count > 2 else {
            return try match(step.rest, try next(client, step), step)
        }
        let words = step.words
        let word = words[2]
        if word == "nothing" { return try expectNothing(client, step) }
        let message = try next(client, step)
        if step.rest.hasPrefix("=") {
            let id = message["id"]?.description
            guard id == word || id == "\"\(word)\"" else { throw ScenarioFailure(step, "\(message) came") }
            try expect(step.rest, message, step)
        } else {
            guard message["method"] == .string(word) else { throw ScenarioFailure(step, "\(message) came") }
            try match(step.rest.isEmpty ? words[3] : step.rest, message["params"] ?? .null, step)
        }
    }

    /// `NAME sees INSTANCE VALUES EVENTS`: the next message is a frame with these values, and with these events only.
    private func expectFrame(_ client: Client, _ step: Scenario.Step) throws {
        let message = try next(client, step)
        guard message["method"] == "viewModel.changed", let params = message["params"] else {
            throw ScenarioFailure(step, "\(message) came")
        }
        guard params["id"] == .string(step.words[2]) else { throw ScenarioFailure(step, "\(message) came") }
        let parts = step.rest.split(separator: " & ", maxSplits: 1).map(String.init)
        try match(parts[0], params["values"] ?? [:], step)
        let events = try parts.dropFirst().first.map { try pattern($0, step).value.objectValue ?? [:] } ?? [:]
        let wanted = events.flatMap { output, values in
            (values.arrayValue ?? []).map { JSONValue.object(["output": .string(output), "value": $0]) }
        }
        guard params["events"] ?? [] == .array(wanted), params["patch"] == nil, params["lost"] == nil else {
            throw ScenarioFailure(step, "\(params) came")
        }
    }

    private func next(_ client: Client, _ step: Scenario.Step) throws -> JSONValue {
        guard let message = try client.next() else { throw ScenarioFailure(step, "nothing came") }
        return message
    }

    private func expectNothing(_ client: Client, _ step: Scenario.Step, _ prefix: String = "") throws {
        if !world.isSettled {
            // What was caused before is before this reply.
            _ = try request("viewModel.list", "", by: client, step)
        } else {
            while let message = try client.receive() { client.inbox.append(message) }
        }
        guard client.inbox.isEmpty else { throw ScenarioFailure(step, "\(prefix)\(client.inbox) came, too") }
    }

    // MARK: Time and work

    static func duration(_ step: Scenario.Step) throws -> Duration {
        let word = step.words.last ?? ""
        if word.hasSuffix("ms"), let count = Int(word.dropLast(2)) { return .milliseconds(count) }
        if word.hasSuffix("s"), let count = Int(word.dropLast()) { return .seconds(count) }
        throw ScenarioFailure(step, "no duration")
    }

    /// `work completes 9`: the oldest call of a service ends with a result; `work 2 completes 9`, `work 2 fails`: that with the input 2.
    private func completeWork(_ step: Scenario.Step) throws {
        let input = Int(step.words[1])
        let isMeant = { (call: Effect<Int, Int>.Call) in input == nil || call.input == input }
        try waitForMessages(of: clients, step)
        world.waitForWork { setup.work.waiting.contains(where: isMeant) }
        guard let call = setup.work.waiting.first(where: isMeant) else { throw ScenarioFailure(step, "no work waits") }
        if step.words.last == "fails" { return call.fail(with: UnexpectedError()) }
        guard let result = Int(step.words.last ?? "") else { throw ScenarioFailure(step, "completes what?") }
        call.complete(with: result)
    }

    /// `order 2 completes chair`: the order of this number ends with a product.
    private func completeOrder(_ step: Scenario.Step) throws {
        guard step.words.count == 4, let number = Int(step.words[1]) else {
            throw ScenarioFailure(step, "which order?")
        }
        try waitForMessages(of: clients, step)
        world.waitForWork { setup.orders.waiting.contains { $0.input.number == number } }
        guard let call = setup.orders.waiting.first(where: { $0.input.number == number }) else {
            throw ScenarioFailure(step, "no such order waits")
        }
        call.complete(with: Product(name: step.words[3]))
    }
}
