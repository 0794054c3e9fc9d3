import Foundation
import Testing
import ViewModelKit
import ViewModelTesting

@testable import Scenarios

/// A ViewModel that saves two values under one name.
@ViewModel
final class Forgetter {
    struct Outputs {
        let first: Output<Int>
        let second: Output<Int>
    }
    let outputs: Outputs

    init() {
        outputs = Outputs(first: Output(Cell(0, restoring: "value")), second: Output(Cell(1, restoring: "value")))
    }
}

/// A ViewModel without mistakes.
@ViewModel
final class Settled {
    @Field(.session) var value = 0
}

/// A ViewModel that changes a value while it computes an output.
@ViewModel
final class Spoiled {
    @State private var reads = 0
    @Output var writes: Int {
        reads += 1
        return reads
    }
    @Input func up() {}
}

@Suite struct `A mistake of an author` {
    @Test(arguments: ["viewModel.read", "viewModel.bind", "viewModel.open"])
    func `in an init fails the request that makes the instance`(method: String) throws {
        var catalog = ViewModelCatalog()
        try catalog.host(Forgetter.self)
        let client = SessionHarness(catalog, savesSessions: true).connectAnonymously()
        try client.request("session.attach", ["session": "desk"])

        let error = try #require(
            client.begin(method, method.hasSuffix("open") ? ["type": "forgetter"] : ["id": "forgetter"]).error
        )

        #expect(error.code == .internalError)
        let incident = try #require(error.data?["incident"])
        #expect(client.closed == [["session": "desk", "reason": "failed", "incident": incident]])
    }

    @Test func `in an instance that is restored costs the session that instance only, for good`() throws {
        var catalog = ViewModelCatalog()
        try catalog.host(Settled.self)
        try catalog.host(Spoiled.self)
        let harness = SessionHarness(catalog, savesSessions: true)
        let attach: JSONValue = ["session": "desk", "linger": 0]
        let first = harness.connectAnonymously()
        try first.request("session.attach", attach)
        try first.request("settled.value", [7])
        try first.request("viewModel.open", ["type": "settled", "id": "later"])
        #expect(first.begin("spoiled.up").error?.code == .internalError)

        let second = harness.connectAnonymously()
        let restored = try second.request("session.attach", attach)
        #expect(restored["restored"] == true)
        #expect(try second.read("settled")["value"] == 7)
        #expect(try Self.ids(second) == ["later", "settled"])
        try second.request("settled.value", [8])
        second.close()

        // The instance is not among the saved ones any more, so nothing fails.
        let incidents = harness.incidents.count
        let third = harness.connectAnonymously()
        try third.request("session.attach", attach)
        #expect(try third.read("settled")["value"] == 8)
        #expect(try Self.ids(third) == ["later", "settled"])
        #expect(harness.incidents.count == incidents)
    }

    private static func ids(_ client: TestClient) throws -> [String] {
        let instances = try client.request("viewModel.list")["instances"]?.arrayValue ?? []
        let builtIn: Set = ["coordinator", "prompter", "daemon"]
        return instances.compactMap { $0["id"]?.stringValue }.filter { !builtIn.contains($0) }.sorted()
    }

    @Test func `leaves a client without a session, also where it had no name`() throws {
        var catalog = ViewModelCatalog()
        try catalog.host(Spoiled.self)
        let harness = SessionHarness(catalog)
        let client = harness.connectAnonymously()
        let incident = try #require(client.begin("spoiled.up").error?.data?["incident"])
        let told: JSONValue = ["session": nil, "reason": "failed", "incident": incident]
        #expect(client.closed == [told])
        let refused = try #require(client.begin("viewModel.list").error)
        #expect(refused.data == ["session": nil, "reason": "failed"])
        try client.request("session.attach")
        try client.request("viewModel.list")
    }

    @Test func `ends its session with an incident, and no other`() throws {
        var catalog = try Board.catalog(Effect())
        try catalog.host(Blunder.self)
        let harness = SessionHarness(catalog)
        let (client, neighbour, other) = (
            harness.connectAnonymously(), harness.connectAnonymously(), harness.connectAnonymously()
        )
        for one in [client, neighbour] { try one.request("session.attach", ["session": "desk"]) }
        for one in [client, other] { try one.bind("blunder") }
        let waiting = neighbour.begin("knot.wait")

        let error = try #require(client.begin("blunder.town", ["write"]).error)

        #expect(error.code == .internalError)
        let incident = try #require(error.data?["incident"])
        #expect(waiting.error?.data?["incident"] == incident)
        for one in [client, neighbour] {
            #expect(one.closed == [["session": "desk", "reason": "failed", "incident": incident]])
        }
        #expect(try other.read("blunder").values["number"] == 0)
    }
}

/// A ViewModel in the short form that makes each mistake.
@ViewModel
final class Blunder {
    /// A text that clients set.
    @Field var town = ""
    @Output var number = 0
    @Output var rows: Rows<Row> = []
    /// A number that is derived, and that changes `number` for some towns.
    @Output var derived: Int {
        if town == "echo" { $echo.send(1) }
        if town == "run" { $leave.run("x") }
        if town == "write" { number += 1 }
        if town == "send" { $arrived.send(1) }
        if town == "open" { _ = try? instances.open(Settled.self) }
        if town == "close" { instances.close("settled") }
        return number
    }
    @Event var arrived: Int
    @State private var hidden = 0
    private let model: BlunderModel
    private let instances: Instances
    private var gate: Bool {
        if town == "gate" { hidden += 1 }
        return hidden == 0
    }

    init(model: BlunderModel, instances: Instances) {
        self.model = model
        self.instances = instances
    }

    /// A row.
    @Schemable
    struct Row: Identifiable {
        let id: Int
    }

    @Input func nothing() {}

    /// Causes itself as often as the number says, or without end.
    @Input func echo(_ times: Int) {
        number += 1
        if times != 1 { $echo.send(times - 1) }
    }

    /// Uses a member on another thread.
    @Action(enabled: \Blunder.gate)
    func leave(_ member: String) async { await useElsewhere(member, of: self) }

    fileprivate func use(_ member: String) {
        switch member {
        case "number": number = 1
        case "hidden": hidden += 1
        case "town": town = "x"
        case "rows": rows.append(Row(id: 1))
        case "arrived": $arrived.send(1)
        case "model": model.value = 1
        case "nothing": $nothing.send()
        case "leave": $leave.run("x")
        case "cancel": $leave.cancel()
        case "instances": _ = try? instances.open(Settled.self)
        default: break
        }
    }
}

/// Uses a member on another thread.
private func useElsewhere(_ member: String, of owner: Blunder) async {
    // No compiler flag and no review keeps an author from this.
    nonisolated(unsafe) let escaped = owner
    await Task.detached { escaped.use(member) }.value
}

/// A model that ViewModels share.
@SharedModel
final class BlunderModel {
    @State var value = 0
}

/// A ViewModel in the explicit form that writes a cell on another thread.
@ViewModel
final class Slip {
    struct Outputs {
        let total: Output<Int>
    }
    struct Actions {
        /// Writes on another thread.
        let leave: Action<Void, Void>
    }
    let outputs: Outputs, actions: Actions

    init() {
        let cell = Cell(1)
        let double = cell.map { $0 * 2 }
        outputs = Outputs(total: Output { double.value + 1 })
        nonisolated(unsafe) let escaped = cell
        actions = Actions(leave: Action { await Task.detached { escaped.value = 2 }.value })
    }
}

/// A ViewModel whose derived value begins to read itself.
@ViewModel
final class Ouroboros {
    struct Inputs {
        /// Makes the value read itself.
        let bite = Input<Void>()
    }
    struct Outputs {
        let tail: Output<Int>
    }
    let inputs = Inputs(), outputs: Outputs

    init() {
        let bitten = Cell(false)
        var own: Derived<Int>?
        let other = Derived { own?.value ?? 0 }
        let value = Derived { bitten.value ? other.value + 1 : 1 }
        own = value
        inputs.bite.sink { bitten.value = true }
        outputs = Outputs(tail: Output(value))
    }
}

/// A ViewModel in the explicit form with two outputs that read each other, or that makes a cell late.
@ViewModel
final class Circle {
    @Schemable
    struct Arguments {
        /// Whether the outputs read each other.
        let isClosed: Bool?
    }
    struct Actions {
        /// Makes a cell.
        let late: Action<Void, Int>
    }
    struct Outputs {
        let left: Output<String>
        let right: Output<[Blunder.Row]>
    }
    let outputs: Outputs, actions: Actions

    init(_ arguments: Arguments) {
        var last: Derived<[Blunder.Row]>?
        let isClosed = arguments.isClosed ?? false
        let left = Derived { isClosed ? "\(last?.value.count ?? 0)" : "" }
        let right = Derived { [Blunder.Row(id: left.value.count)] }
        last = right
        outputs = Outputs(left: Output(left), right: Output(right))
        actions = Actions(late: Action { Cell(7).value })
    }
}

/// A ViewModel with values that clients cannot use.
@ViewModel
final class Unfit {
    @Field var divisor = 1
    @Output var quotient: Double { 1 / Double(divisor) }
    @Output var rows: Rows<Blunder.Row> = []
    @Rows var derived: [Blunder.Row] { rows.value }

    @Input func add(_ id: Int) { rows.append(Blunder.Row(id: id)) }
    @Input func set(_ ids: [Int]) { rows.replaceAll(with: ids.map { Blunder.Row(id: $0) }) }

    /// A list that no client sees.
    private(set) lazy var hidden = ListOutput($rows)
}

@Suite struct `The harness` {
    private let unfit: Harness<Unfit>

    init() throws { unfit = try Harness(Unfit.self) }

    @Test func `names an output whose number is infinite`() throws {
        try unfit.send(\.inputs.divisor, 0)
        let error = try #require(throws: HarnessError.self) { try unfit.read(\.outputs.quotient) }
        #expect("\(error)".contains("unfit.quotient cannot be sent"), "\(error)")
    }

    // Only a debug build looks for the id of a single new row in a list without a table of ids.
    #if DEBUG
        private static let repetitions = [[[3], [3, 7, 7]], [[3, 7], [7]]]
    #else
        private static let repetitions = [[[3], [3, 7, 7]]]
    #endif

    @Test(arguments: repetitions)
    func `names a list with two rows of one id although a client has bound a window`(steps: [[Int]]) throws {
        try unfit.client.bind("unfit", windows: ["rows": Window(offset: 0, limit: 1)])
        if steps[1].count > 1 {
            for ids in steps { try unfit.send(\.inputs.set, ids) }
        } else {
            for id in steps.joined() { try unfit.send(\.inputs.add, id) }
        }
        let incidents = unfit.session.incidents.filter { $0.contains("unfit.rows (Author") }
        #expect(incidents.count == 1 && incidents[0].hasPrefix("two rows have the id 7"), "\(incidents)")
    }

    @Test func `names the type of a list that no client sees`() throws {
        let error = try #require(throws: HarnessError.self) { try unfit.read(\.hidden) }
        #expect("\(error)".contains("a ListOutput<Row> that is no declared member"), "\(error)")
    }

    @Test func `names a list with two rows of one id, and so does the log`() throws {
        for id in [3, 7, 7] { try unfit.send(\.inputs.add, id) }
        for output in [\Unfit.Outputs.rows, \.derived] {
            let path = (\Unfit.outputs).appending(path: output)
            let error = try #require(throws: HarnessError.self) { try unfit.read(path) }
            #expect("\(error)".contains("have the id 7"), "\(error)")
        }
        let incidents = unfit.session.incidents
        #expect(incidents.count == 2, "\(incidents)")
        for name in ["rows", "derived"] {
            #expect(
                incidents.contains {
                    $0.hasPrefix("two rows have the id 7 (Unexpected error in ") && $0.contains("unfit.\(name) (Author")
                },
                "\(incidents)"
            )
        }
    }
}

@Suite(.timeLimit(.minutes(5))) struct `The log of an author's mistake` {
    /// The end of each incident's text.
    private static let activity = " (Unexpected error in a ViewModel; its session ends)"
    private static let outside =
        "outside of a step of its session; do it in an input, an action or a timer, and give an async closure no capture "
        + "list"

    private let harness: SessionHarness
    private let client: TestClient

    init() throws {
        var catalog = ViewModelCatalog()
        try catalog.host(Blunder.self, Slip.self, Ouroboros.self, Circle.self)
        harness = SessionHarness(catalog)
        client = harness.connectAnonymously()
    }

    /// Returns the name of this file and the line of a declaration in it.
    private func place(_ declaration: String) throws -> String {
        "AuthorMistakeTests.swift:\(try line(declaration))"
    }

    /// Returns the line of a declaration in this file.
    private func line(_ declaration: String) throws -> Int {
        let source = try String(contentsOfFile: #filePath, encoding: .utf8)
        let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
        return try #require(lines.firstIndex { $0.contains(declaration) }) + 1
    }

    /// The subjects of the sentences by the member that is written on another thread.
    private static let subjects = [
        "number": ("blunder.number", "@Output var number", "was written"),
        "hidden": ("blunder.hidden", "@State private var hidden", "was written"),
        "town": ("blunder.town", "@Field var town", "was written"),
        "rows": ("blunder.rows", "@Output var rows", "was written"),
        "arrived": ("blunder.arrived", "@Event var arrived", "was sent"),
        "model": ("BlunderModel.value", "@State var value = 0", "was written"),
        "nothing": ("blunder.nothing", "@Input func nothing", "was run"),
        "leave": ("blunder.leave", "func leave(_ member", "was run"),
        "cancel": ("blunder.leave", "func leave(_ member", "was cancelled"),
    ]

    @Test(arguments: subjects.keys.sorted())
    func `names the member that another thread writes, with its line`(member: String) async throws {
        let (name, declaration, verb) = try #require(Self.subjects[member])
        try client.bind("blunder")
        let call = client.begin("blunder.leave", [.string(member)])
        try await harness.wait { !harness.incidents.isEmpty }
        let place = try place(declaration)
        #expect(harness.incidents == ["\(name) (\(place)) \(verb) \(Self.outside)\(Self.activity)"])
        #expect(call.error?.data?["incident"] != nil)
    }

    @Test func `names the output that depends on a cell of the explicit form`() async throws {
        try client.bind("slip")
        _ = client.begin("slip.leave")
        try await harness.wait { !harness.incidents.isEmpty }
        let place = try place("let total: Output<Int>")
        let cell = "a Cell<Int> on which slip.total (\(place)) depends"
        #expect(harness.incidents == ["\(cell) was written \(Self.outside)\(Self.activity)"])
    }

    @Test(arguments: [
        ("write", "blunder.number", "@Output var number", "was written", "blunder.derived", "@Output var derived"),
        ("send", "blunder.arrived", "@Event var arrived", "was sent", "blunder.derived", "@Output var derived"),
        ("echo", "blunder.echo", "@Input func echo(", "was run", "blunder.derived", "@Output var derived"),
        ("run", "blunder.leave", "func leave(_ member", "was run", "blunder.derived", "@Output var derived"),
        (
            "gate", "blunder.hidden", "@State private var hidden", "was written", "blunder.leave.enabled",
            "func leave(_ member"
        ),
    ])
    func `names the member and the derived output that writes it`(
        town: String,
        name: String,
        declaration: String,
        verb: String,
        output: String,
        outputDeclaration: String
    ) throws {
        try client.bind("blunder")
        let error = try #require(client.begin("blunder.town", [.string(town)]).error)
        #expect(error.data?["incident"] != nil)
        let places = try [declaration, outputDeclaration].map { "(\(try place($0)))" }
        #expect(
            harness.incidents == [
                "\(name) \(places[0]) \(verb) while \(output) \(places[1]) was computed; derive the value instead of "
                    + "writing it\(Self.activity)"
            ]
        )
    }

    @Test(arguments: ["open", "close"])
    func `names the derived output that opens or closes an instance`(town: String) throws {
        try client.bind("blunder")
        #expect(client.begin("blunder.town", [.string(town)]).error?.data?["incident"] != nil)
        let place = try place("@Output var derived")
        #expect(
            harness.incidents == [
                "an Instances was used while blunder.derived (\(place)) was computed; derive the value instead of writing "
                    + "it\(Self.activity)"
            ]
        )
    }

    @Test func `says that an instance was opened on another thread`() async throws {
        try client.bind("blunder")
        _ = client.begin("blunder.leave", ["instances"])
        try await harness.wait { !harness.incidents.isEmpty }
        #expect(harness.incidents == ["an Instances was used \(Self.outside)\(Self.activity)"])
    }

    @Test func `names an input that causes itself without end`() throws {
        try client.bind("blunder")
        #expect(client.begin("blunder.echo", [9000]).error == nil)
        #expect(try client.read("blunder").values["number"] == 9000)
        #expect(client.begin("blunder.echo", [0]).error?.data?["incident"] != nil)
        let place = try place("@Input func echo")
        #expect(
            harness.incidents == [
                "blunder.echo (\(place)) has caused itself 10,000 times in one step; stop at a condition, or continue with "
                    + "a timer\(Self.activity)"
            ]
        )
    }

    @Test func `names the output of a value that begins to read itself`() throws {
        let other = harness.connectAnonymously()
        try client.bind("ouroboros")
        try other.bind("slip")
        #expect(client.begin("ouroboros.bite").error?.data?["incident"] != nil)
        let place = try place("let tail: Output<Int>")
        #expect(
            harness.incidents == [
                "a Derived<Int> on which ouroboros.tail (\(place)) depends reads itself; derive it from other values\(Self.activity)"
            ]
        )
        #expect(try other.read("slip").values["total"] == 3)
    }

    @Test func `names both outputs that read each other from the start`() throws {
        let other = harness.connectAnonymously()
        try other.bind("slip")
        let open = client.begin("viewModel.open", ["type": "circle", "arguments": ["isClosed": true]])
        #expect(open.error?.data?["incident"] != nil)
        let left = "circle-1.left (\(try place("let left: Output<String>")))"
        let right = "circle-1.right (\(try place("let right: Output<[Blunder.Row]>")))"
        #expect(
            harness.incidents == [
                "a Derived<String> on which \(left) depends reads itself through \(right); derive it from other values"
                    + Self.activity
            ]
        )
        #expect(try other.read("slip").values["total"] == 3)
    }

    @Test func `names the action that makes a cell`() throws {
        #expect(client.begin("circle.late").error?.data?["incident"] != nil)
        #expect(
            harness.incidents == [
                "circle.late has made a cell, an input, an output or an action after the init of its object; make it in "
                    + "the init\(Self.activity)"
            ]
        )
    }
}
